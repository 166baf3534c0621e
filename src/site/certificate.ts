import { isIPv6 } from "node:net";
import { parseEndpoint } from "./address.ts";

/** The command that saves the certificate which a service shows; what it saved must be compared before it is trusted. */
export function saveCertificate(endpoint: string, file: string): string {
  const { host, port } = parseEndpoint(endpoint) ?? { host: "HOST", port: 443 };
  return `openssl s_client -connect ${isIPv6(host) ? `[${host}]` : host}:${port} </dev/null | openssl x509 > ${file}`;
}
