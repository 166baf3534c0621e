import { createPrivateKey, X509Certificate } from "node:crypto";
import { exit, fail } from "../base/problem.ts";
import { Secret } from "../base/secret.ts";
import { readSmall, replaceSynced, type SmallFile } from "../machine/files.ts";
import { type Identity, isKey, makeAuthority, makeKey, type Validity } from "../machine/x509.ts";

/**
 * systemd sets a clock that has lost its battery to the day when systemd was built. A certificate that begins before any such
 * day is never "not yet valid", however wrong a machine's clock is at boot.
 */
export const valid_from = new Date("2020-01-01T00:00:00Z");

const authority_years = 50;

export const years = (count: number, from: Date): Validity => {
  const to = new Date(Math.max(from.getTime(), valid_from.getTime()));
  to.setUTCFullYear(to.getUTCFullYear() + count);
  return { from: valid_from, to };
};

/** Certificates and keys are a few hundred bytes each. */
const bytes_max = 16 << 10;

/** The files of one certificate and its key. */
export interface IdentityFiles {
  readonly certificate: string;
  readonly key: string;
}

/**
 * Made once: with another authority, machines that were rendered later would let in nobody. The key comes first. Cut off
 * after it, or with the certificate lost, another certificate of the same key and name is as good.
 */
export async function keptAuthority(site: string, files: IdentityFiles, now: Date): Promise<Identity> {
  const found = await readSmall(files.certificate, bytes_max);
  if (found.ok || found.kind !== "missing") return await readAuthority(files);
  const kept = await readSmall(files.key, bytes_max);
  const key = !kept.ok && kept.kind === "missing" ? makeKey() : readKey(files.key, kept);
  // X.520 gives a common name 64 characters.
  const made = makeAuthority(`duet etcd CA ${site}`.slice(0, 64), key, years(authority_years, now));
  await replaceSynced(files.key, key.reveal(), 0o600);
  await replaceSynced(files.certificate, made.certificate, 0o600);
  return made;
}

export async function readAuthority(files: IdentityFiles): Promise<Identity> {
  const certificate = await readSmall(files.certificate, bytes_max);
  const key = readKey(files.key, await readSmall(files.key, bytes_max));
  if (!certificate.ok)
    refuse(files.certificate, `etcd's certificate authority can't be read: ${certificate.why}`);
  if (!isPair(certificate.text, key))
    refuse(files.certificate, `this and ${files.key} are not one certificate authority and its key`);
  return { certificate: certificate.text, key };
}

function readKey(path: string, file: SmallFile): Secret {
  if (!file.ok) refuse(path, `the key of etcd's certificate authority can't be read: ${file.why}`);
  const key = new Secret(file.text);
  return isKey(key) ? key : refuse(path, "this is no private key in PEM form on the curve P-256");
}

function isPair(certificate: string, key: Secret): boolean {
  try {
    const authority = new X509Certificate(certificate);
    return authority.ca && authority.checkPrivateKey(createPrivateKey(key.reveal()));
  } catch {
    return false;
  }
}

function refuse(path: string, what: string): never {
  fail(
    "DUET-E-ETCD-CA",
    path,
    what,
    "put both files back, from a backup or from a machine of the site (/etc/duet/tls/ca.crt and ca.key); for a site that was never installed, remove both and new ones are made",
    exit.badInput,
  );
}
