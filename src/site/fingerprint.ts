/** SHA-256 of a certificate as browsers and openssl print it (colons, upper case, a prefix), as plain lower-case hex. */
export function parseFingerprint(text: string): string | undefined {
  const hex = text
    .replace(/^sha-?256( fingerprint)?[:=]/i, "")
    .replaceAll(":", "")
    .toLowerCase();
  return /^[0-9a-f]{64}$/.test(hex) ? hex : undefined;
}
