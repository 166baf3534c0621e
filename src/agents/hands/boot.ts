import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { errnoOf } from "../../machine/files.ts";

const digits = 12;

/**
 * Names this boot to the peer: another one with each, the same for all of duet's processes in it. A part of a hash is enough to tell two
 * boots apart, and short in what is published again and again. Undefined where the system does not tell.
 */
export function bootMark(file = "/proc/sys/kernel/random/boot_id"): string | undefined {
  try {
    const id = readFileSync(file, "utf8").trim();
    return id === "" ? undefined : createHash("sha256").update(id).digest("hex").slice(0, digits);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
