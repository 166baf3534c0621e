import { createHash } from "node:crypto";
import type { JsonObject } from "./json.ts";

/** A strong tag of the representation: two bodies have the same tag exactly when they are the same. */
export function etagOf(body: JsonObject): string {
  return `"${createHash("sha256").update(JSON.stringify(body)).digest("hex").slice(0, 32)}"`;
}

/**
 * Whether a list of tags from If-Match or If-None-Match names this one. Compared weakly: DSP0266 asks services to, because
 * clients and proxies add `W/`.
 */
export function matches(header: string, etag: string): boolean {
  const wanted = header.trim();
  if (wanted === "*") return true;
  return wanted.split(",").some((one) => one.trim().replace(/^W\//, "") === etag);
}
