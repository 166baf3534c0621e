import { createPrivateKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { Secret } from "../base/secret.ts";
import { readIfThere, replaceSynced } from "../machine/files.ts";
import { type Identity, isKey, issue, type Leaf, makeKey } from "../machine/x509.ts";
import { type Certificate, peerCommonName, tlsFile } from "../render/etcd.ts";
import type { Machine } from "../site/site.ts";
import { type IdentityFiles, readAuthority, years } from "./authority.ts";

/**
 * Long enough to outlive a machine that is never looked after, and renewed long before by a timer: an expiry is an outage with
 * a date, at a place where nobody is. Shorter ones would protect nothing, since the authority's key is on the machine too.
 */
export const leaf_years = 10;
const renew_years_before = 5;

export type LeafName = Exclude<Certificate, "ca">;

/** What each is for. */
export function leavesOf(machine: Machine): Readonly<Record<LeafName, Leaf>> {
  const hosts = [...machine.addresses, machine.name, "localhost", "127.0.0.1", "::1"];
  return {
    // Also a client: etcd's own JSON gateway is one of its gRPC port, with this certificate.
    server: { commonName: machine.name, usages: ["server", "client"], hosts },
    peer: { commonName: peerCommonName, usages: ["server", "client"], hosts },
    client: { commonName: "duet", usages: ["client"], hosts: [] },
  };
}

const filesOf = (name: Certificate): IdentityFiles => ({
  certificate: tlsFile(name, "crt"),
  key: tlsFile(name, "key"),
});

/**
 * Makes what is missing, and makes anew what is near its end, broken, or of another site's addresses. The names of those made.
 * etcd reads its certificates at each handshake: nothing is restarted.
 */
export async function ensureCertificates(
  machine: Machine,
  now: Date,
  files: (name: Certificate) => IdentityFiles = filesOf,
): Promise<readonly LeafName[]> {
  const authority = await readAuthority(files("ca"));
  const made: LeafName[] = [];
  const leaves = leavesOf(machine);
  for (const name of ["server", "peer", "client"] as const)
    if (await ensureLeaf(authority, leaves[name], files(name), now)) made.push(name);
  return made;
}

export async function ensureLeaf(
  authority: Identity,
  leaf: Leaf,
  files: IdentityFiles,
  now: Date,
): Promise<boolean> {
  const kept = await readIfThere(files.key);
  const read = kept === undefined ? undefined : new Secret(kept);
  const isKept = read !== undefined && isKey(read);
  const key = isKept ? read : makeKey();
  const certificate = await readIfThere(files.certificate);
  if (isKept && certificate !== undefined && isGood(certificate, leaf, key, authority, now)) return false;
  // A renewed certificate keeps its key: one file is replaced, at once, and no handshake meets one with another's key.
  if (!isKept) await replaceSynced(files.key, key.reveal(), 0o600);
  await replaceSynced(files.certificate, issue(authority, leaf, key, years(leaf_years, now)));
  return true;
}

/** Nothing to renew: of this authority and key, for all that is wanted, and with years to go. */
export function isGood(
  certificate: string,
  leaf: Leaf,
  key: Secret,
  authority: Pick<Identity, "certificate">,
  now: Date,
): boolean {
  const read = parsed(certificate);
  const parent = parsed(authority.certificate);
  if (read === undefined || parent === undefined) return false;
  const names = leaf.hosts.every((host) =>
    isIP(host) === 0 ? read.checkHost(host) !== undefined : read.checkIP(host) !== undefined,
  );
  return (
    names &&
    read.subject === subjectOf(leaf) &&
    read.checkIssued(parent) &&
    read.verify(parent.publicKey) &&
    read.checkPrivateKey(createPrivateKey(key.reveal())) &&
    read.validToDate > years(renew_years_before, now).to
  );
}

/** As Node tells it: one line each, in the order in which they are in the certificate. */
const subjectOf = ({ organization, commonName }: Leaf): string =>
  [...(organization === undefined ? [] : [`O=${organization}`]), `CN=${commonName}`].join("\n");

function parsed(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}
