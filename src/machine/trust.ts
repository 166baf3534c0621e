import { X509Certificate } from "node:crypto";
import { resolve } from "node:path";
import { exit, fail } from "../base/problem.ts";
import type { Trust } from "../site/site.ts";
import { readSmall } from "./files.ts";

/** Which certificate to believe, with what a file held in place of the file's name. */
export type LoadedTrust = Exclude<Trust, { readonly by: "ca" }> | { readonly by: "ca"; readonly pem: string };

/** A few hundred certificates. */
const bytes_max = 1 << 20;

export async function loadTrust(trust: Trust, siteFolder: string): Promise<LoadedTrust> {
  if (trust.by !== "ca") return trust;
  const path = resolve(siteFolder, trust.file);
  const file = await readSmall(path, bytes_max);
  if (!file.ok)
    refuse(
      path,
      `the certificate authority's file can't be read: ${file.why}`,
      "put its certificate there, in PEM form, or correct `trust:` in the site file",
    );
  return { by: "ca", pem: certificatesOf(file.text, path) };
}

/**
 * The certificates in a file, and nothing else of it: this ends up on machines for everybody to read. Each is parsed here,
 * because Node takes a file without a certificate for an empty list, and then trusts nobody without saying why.
 */
function certificatesOf(text: string, path: string): string {
  if (/PRIVATE KEY/.test(text))
    refuse(
      path,
      "this file holds a private key, and it would be copied to the machines for everybody to read",
      "name a file with the certificate alone: `openssl x509 -in FILE -out ca.crt` takes it out",
    );
  const blocks = text
    .replaceAll("\r\n", "\n")
    .match(/^-----BEGIN CERTIFICATE-----\n[^-]*\n-----END CERTIFICATE-----$/gm);
  if (blocks === null || !blocks.every(isCertificate))
    refuse(
      path,
      "this file holds no certificate in PEM form, or a broken one",
      "it must begin with -----BEGIN CERTIFICATE-----; `openssl x509 -inform der` converts other forms",
    );
  return `${blocks.join("\n")}\n`;
}

function isCertificate(pem: string): boolean {
  try {
    void new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}

function refuse(path: string, what: string, fix: string): never {
  fail("DUET-E-TRUST-FILE", path, what, fix, exit.badInput);
}
