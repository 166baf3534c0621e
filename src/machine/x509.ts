import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from "node:crypto";
import { isIP, isIPv4 } from "node:net";
import {
  around,
  bits,
  type Der,
  inPlace,
  integer,
  octets,
  oid,
  sequence,
  set,
  time,
  truth,
  utf8,
} from "../base/der.ts";
import { Secret } from "../base/secret.ts";

/** A certificate and its key, both in PEM form. */
export interface Identity {
  readonly certificate: string;
  readonly key: Secret;
}

export type Usage = "server" | "client";

export interface Leaf {
  readonly commonName: string;
  /** Kubernetes takes it for the group that the common name belongs to. */
  readonly organization?: string;
  readonly usages: readonly Usage[];
  /** Addresses and names that it is good for. */
  readonly hosts: readonly string[];
}

export interface Validity {
  readonly from: Date;
  readonly to: Date;
}

const oids = {
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  subjectKeyId: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyId: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  server: "1.3.6.1.5.5.7.3.1",
  client: "1.3.6.1.5.5.7.3.2",
} as const;

/** On the curve P-256, which every TLS library has; PKCS #8, PEM. */
export function makeKey(): Secret {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return new Secret(privateKey.export({ type: "pkcs8", format: "pem" }).toString());
}

/** A key that `makeKey` could have made. */
export function isKey(key: Secret): boolean {
  try {
    return createPrivateKey(key.reveal()).asymmetricKeyDetails?.namedCurve === "prime256v1";
  } catch {
    return false;
  }
}

export function makeAuthority(commonName: string, key: Secret, validity: Validity): Identity {
  const own = createPrivateKey(key.reveal());
  const certificate = certify({
    issuer: { commonName, key: own },
    subject: { commonName, publicKey: createPublicKey(own) },
    validity,
    extensions: [
      extension("basicConstraints", sequence(truth()), "critical"),
      // keyCertSign and cRLSign.
      extension("keyUsage", bits(Buffer.from([0b0000_0110]), 1), "critical"),
    ],
  });
  return { certificate, key };
}

/** The certificate for a key that the caller has. */
export const issue = (authority: Identity, leaf: Leaf, key: Secret, validity: Validity): string =>
  issueFor(authority, leaf, createPublicKey(key.reveal()), validity);

/** The public half of a key that `makeKey` could have made, in PEM form; undefined for what is none. */
export function publicKeyOf(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : undefined;
  } catch {
    return undefined;
  }
}

/** The certificate for somebody else's key, of which only the public half is known here. */
export function issueFor(authority: Identity, leaf: Leaf, publicKey: KeyObject, validity: Validity): string {
  const parent = new X509Certificate(authority.certificate);
  return certify({
    issuer: { commonName: commonNameOf(parent), key: createPrivateKey(authority.key.reveal()) },
    subject: { ...leaf, publicKey },
    validity,
    extensions: [
      extension("basicConstraints", sequence(), "critical"),
      // digitalSignature: all that a P-256 key does in TLS.
      extension("keyUsage", bits(Buffer.from([0b1000_0000]), 7), "critical"),
      extension("extendedKeyUsage", sequence(...leaf.usages.map((usage) => oid(oids[usage])))),
      ...(leaf.hosts.length === 0
        ? []
        : [extension("subjectAltName", sequence(...leaf.hosts.map(generalName)))]),
    ],
  });
}

function commonNameOf(certificate: X509Certificate): string {
  return /^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? "";
}

function certify(order: {
  readonly issuer: { readonly commonName: string; readonly key: KeyObject };
  readonly subject: Pick<Leaf, "commonName" | "organization"> & { readonly publicKey: KeyObject };
  readonly validity: Validity;
  readonly extensions: readonly Der[];
}): string {
  const { issuer, subject, validity } = order;
  const algorithm = sequence(oid(oids.ecdsaWithSha256));
  const signer = createPublicKey(issuer.key);
  const body = sequence(
    // Version 3.
    around(0, integer(Buffer.from([2]))),
    integer(serial()),
    algorithm,
    name(issuer),
    sequence(time(validity.from), time(validity.to)),
    name(subject),
    spki(subject.publicKey),
    around(
      3,
      sequence(
        ...order.extensions,
        extension("subjectKeyId", octets(keyId(subject.publicKey))),
        extension("authorityKeyId", sequence(inPlace(0, keyId(signer)))),
      ),
    ),
  );
  const signed = sequence(body, algorithm, bits(sign("sha256", body, issuer.key)));
  const lines =
    Buffer.from(signed)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  const pem = `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
  const made = new X509Certificate(pem);
  if (!made.verify(signer)) throw new Error("a certificate was made that does not verify");
  return pem;
}

/** By chance, so that two certificates of one authority never share it; 127 bits, never zero. */
function serial(): Uint8Array {
  const digits = randomBytes(16);
  digits[0] = ((digits[0] ?? 0) & 0x3f) | 0x40;
  return digits;
}

const name = ({ commonName, organization }: Pick<Leaf, "commonName" | "organization">): Der =>
  sequence(
    ...(organization === undefined ? [] : [attribute("organization", organization)]),
    attribute("commonName", commonName),
  );

const attribute = (id: "commonName" | "organization", text: string): Der =>
  set(sequence(oid(oids[id]), utf8(text)));

const spki = (key: KeyObject): Der => key.export({ type: "spki", format: "der" });

/** RFC 7093, 2.: any short name of the key will do, as long as authority and leaf make it alike. */
const keyId = (key: KeyObject): Uint8Array => createHash("sha256").update(spki(key)).digest().subarray(0, 20);

function extension(
  id: Exclude<keyof typeof oids, Usage | "commonName" | "organization" | "ecdsaWithSha256">,
  content: Der,
  critical?: "critical",
): Der {
  return sequence(oid(oids[id]), ...(critical === undefined ? [] : [truth()]), octets(content));
}

function generalName(host: string): Der {
  if (isIP(host) === 0) return inPlace(2, Buffer.from(host, "ascii"));
  return inPlace(7, isIPv4(host) ? Buffer.from(host.split(".").map(Number)) : ipv6Bytes(host));
}

/** A URL gives every form of an address in its shortest: groups in hexadecimal, at most one `::`. */
function ipv6Bytes(host: string): Uint8Array {
  const [left = "", right] = new URL(`http://[${host}]`).hostname.slice(1, -1).split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const [head, tail] = [groups(left), groups(right ?? "")];
  const middle = Array<string>(8 - head.length - tail.length).fill("0");
  return Buffer.from([...head, ...middle, ...tail].map((group) => group.padStart(4, "0")).join(""), "hex");
}
