import type { Published } from "../../act/effects.ts";
import { isFalseOff } from "../../act/picture.ts";
import type { Memory } from "./memory.ts";

/** To be asked before what the peer said is noted: does it show that its Off was false, and for which membership was that read? */
export function falseOffIn(
  { remembered }: Pick<Memory, "remembered">,
  said: Published | undefined,
): string | undefined {
  return isFalseOff(remembered, said) ? remembered.provenIn : undefined;
}

/** The peer was switched off for real, and seen to go: what was false before is mended. A change for the memory. */
export const offIsTrue = (was: Memory): Memory =>
  was.falseOff_ms === undefined ? was : { ...was, falseOff_ms: undefined };
