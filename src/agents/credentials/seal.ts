import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { Secret } from "../../base/secret.ts";

const cipher = "aes-256-gcm";
const salt_bytes = 16;
const nonce_bytes = 12;
const mark_bytes = 16;

const keyOf = (shared: Uint8Array, salt: Uint8Array): Buffer =>
  Buffer.from(hkdfSync("sha256", shared, salt, "duet credentials", 32));

/**
 * For one reader: the peer, which has the same key, Corosync's. Who has that key is a member of the cluster in any case, and only root
 * reads it. `about` is not secret and can't be exchanged: a line for one BMC is never taken for another's.
 */
export function seal(line: Secret, about: string, shared: Uint8Array): string {
  const salt = randomBytes(salt_bytes);
  const nonce = randomBytes(nonce_bytes);
  const sealing = createCipheriv(cipher, keyOf(shared, salt), nonce);
  sealing.setAAD(Buffer.from(about));
  const body = Buffer.concat([sealing.update(line.reveal(), "utf8"), sealing.final()]);
  return Buffer.concat([salt, nonce, sealing.getAuthTag(), body]).toString("base64");
}

/** Undefined: it was sealed with another key, for something else, or was changed on its way. */
export function unseal(sealed: string, about: string, shared: Uint8Array): Secret | undefined {
  const bytes = Buffer.from(sealed, "base64");
  const head = salt_bytes + nonce_bytes + mark_bytes;
  if (bytes.length <= head) return undefined;
  const opening = createDecipheriv(
    cipher,
    keyOf(shared, bytes.subarray(0, salt_bytes)),
    bytes.subarray(salt_bytes, salt_bytes + nonce_bytes),
    { authTagLength: mark_bytes },
  );
  opening.setAAD(Buffer.from(about));
  opening.setAuthTag(bytes.subarray(salt_bytes + nonce_bytes, head));
  try {
    return new Secret(Buffer.concat([opening.update(bytes.subarray(head)), opening.final()]).toString());
  } catch {
    return undefined;
  }
}
