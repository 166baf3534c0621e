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

/** For what is made anew each time that it is needed. */
export const days = (count: number, from: Date): Validity => ({
  from: valid_from,
  to: new Date(from.getTime() + count * 24 * 60 * 60_000),
});

/** Certificates and keys are a few hundred bytes each. */
const bytes_max = 16 << 10;

/** The files of one certificate and its key. */
export interface IdentityFiles {
  readonly certificate: string;
  readonly key: string;
}

/** Whose authority it is, and where else a lost one is to be found. */
export interface AuthorityKind {
  /** In the authority's name. */
  readonly whose: string;
  /** In messages. */
  readonly called: string;
  readonly code: string;
  /** On a machine of the site. */
  readonly there: string;
}

const etcdKind: AuthorityKind = {
  whose: "etcd",
  called: "etcd's certificate authority",
  code: "DUET-E-ETCD-CA",
  there: "/etc/duet/tls/ca.crt and ca.key",
};

/**
 * Made once: with another authority, machines that were rendered later would let in nobody. The key comes first. Cut off
 * after it, or with the certificate lost, another certificate of the same key and name is as good.
 */
export async function keptAuthority(
  site: string,
  files: IdentityFiles,
  now: Date,
  kind: AuthorityKind = etcdKind,
): Promise<Identity> {
  const found = await readSmall(files.certificate, bytes_max);
  if (found.ok || found.kind !== "missing") return await readAuthority(files, kind);
  const kept = await readSmall(files.key, bytes_max);
  const key = !kept.ok && kept.kind === "missing" ? makeKey() : readKey(files.key, kept, kind);
  // X.520 gives a common name 64 characters.
  const made = makeAuthority(`duet ${kind.whose} CA ${site}`.slice(0, 64), key, years(authority_years, now));
  await replaceSynced(files.key, key.reveal(), 0o600);
  await replaceSynced(files.certificate, made.certificate, 0o600);
  return made;
}

export async function readAuthority(files: IdentityFiles, kind: AuthorityKind = etcdKind): Promise<Identity> {
  const certificate = await readSmall(files.certificate, bytes_max);
  const key = readKey(files.key, await readSmall(files.key, bytes_max), kind);
  if (!certificate.ok) refuse(files.certificate, `${kind.called} can't be read: ${certificate.why}`, kind);
  if (!isPair(certificate.text, key))
    refuse(files.certificate, `this and ${files.key} are not one certificate authority and its key`, kind);
  return { certificate: certificate.text, key };
}

/** A key alone, with no certificate of it: made once too. */
export async function keptKey(path: string, kind: AuthorityKind): Promise<Secret> {
  const kept = await readSmall(path, bytes_max);
  if (kept.ok || kept.kind !== "missing") return readKey(path, kept, kind);
  const key = makeKey();
  await replaceSynced(path, key.reveal(), 0o600);
  return key;
}

function readKey(path: string, file: SmallFile, kind: AuthorityKind): Secret {
  if (!file.ok) refuse(path, `the key of ${kind.called} can't be read: ${file.why}`, kind);
  const key = new Secret(file.text);
  return isKey(key) ? key : refuse(path, "this is no private key in PEM form on the curve P-256", kind);
}

function isPair(certificate: string, key: Secret): boolean {
  try {
    const authority = new X509Certificate(certificate);
    return authority.ca && authority.checkPrivateKey(createPrivateKey(key.reveal()));
  } catch {
    return false;
  }
}

function refuse(path: string, what: string, { code, there }: AuthorityKind): never {
  fail(
    code,
    path,
    what,
    `put both files back, from a backup or from a machine of the site (${there}); for a site that was never installed, remove both and new ones are made`,
    exit.badInput,
  );
}
