import { X509Certificate } from "node:crypto";
import { resolve } from "node:path";
import { exit, fail } from "../base/problem.ts";
import type { Trust } from "../site/site.ts";
import { readIfThere } from "./files.ts";

/** Which certificate to believe, with what a file held in place of the file's name. */
export type LoadedTrust = Exclude<Trust, { readonly by: "ca" }> | { readonly by: "ca"; readonly pem: string };

export async function loadTrust(trust: Trust, siteFolder: string): Promise<LoadedTrust> {
  if (trust.by !== "ca") return trust;
  const path = resolve(siteFolder, trust.file);
  const pem = await readIfThere(path).catch(() => undefined);
  if (pem === undefined)
    fail(
      "DUET-E-TRUST-FILE",
      path,
      "the certificate authority's file can't be read",
      "put its certificate there, in PEM form, or correct `trust:` in the site file",
      exit.badInput,
    );
  try {
    // Node takes a file without a certificate for an empty list, and then trusts nobody without saying why.
    void new X509Certificate(pem);
  } catch {
    fail(
      "DUET-E-TRUST-FILE",
      path,
      "this file holds no certificate in PEM form",
      "it must begin with -----BEGIN CERTIFICATE-----; `openssl x509 -inform der` converts other forms",
      exit.badInput,
    );
  }
  return { by: "ca", pem };
}
