import { writeFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import { exists } from "../src/machine/files.ts";
import { run } from "../src/machine/process.ts";

const days = "3650";

/** The authority that signs the lab's BMC certificates, as a site's own would. Made once per lab. */
export async function makeAuthority(folder: string): Promise<{ certificate: string; key: string }> {
  const certificate = join(folder, "bmc-ca.crt");
  const key = join(folder, "bmc-ca.key");
  if (!(await exists(certificate)))
    await openssl(
      ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc"],
      ["-days", days, "-subj", "/CN=lab BMC authority", "-keyout", key, "-out", certificate],
      ["-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign"],
    );
  return { certificate, key };
}

/** A BMC's own certificate, for its address. */
export async function makeCertificate(
  folder: string,
  host: string,
  authority: { certificate: string; key: string },
): Promise<void> {
  const request = join(folder, "tls.csr");
  const extensions = join(folder, "tls.ext");
  await writeFile(
    extensions,
    `subjectAltName=${isIPv6(host) || /^[\d.]+$/.test(host) ? "IP" : "DNS"}:${host}\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE\n`,
  );
  await openssl(
    ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-subj", "/CN=BMC"],
    ["-keyout", join(folder, "tls.key"), "-out", request],
  );
  await openssl(
    ["x509", "-req", "-in", request, "-CA", authority.certificate, "-CAkey", authority.key],
    ["-days", days, "-extfile", extensions, "-out", join(folder, "tls.crt")],
  );
}

/** Arguments in groups, as a person would write them on lines of their own. */
async function openssl(...groups: readonly (readonly string[])[]): Promise<void> {
  await run(["openssl", ...groups.flat()]);
}
