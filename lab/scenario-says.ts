import * as v from "valibot";
import type { MachineName } from "../src/scenario/slots.ts";

/** Of `duet status --json`: what the machines say, and what is told to be wrong with them. */
const shown = v.object({
  machines: v.array(
    v.object({
      name: v.string(),
      says: v.object({ value: v.optional(v.nullable(v.object({ sentence: v.string() }))) }),
    }),
  ),
  wrong: v.array(v.object({ where: v.string(), what: v.string() })),
});

/**
 * What a status has this machine itself say: the sentence that it goes by, and what is wrong with it. What it says of the other machine,
 * and what it advises to do, is no word of this one's.
 */
export function saidBy(status: unknown, machine: MachineName): readonly string[] {
  const found = v.safeParse(shown, status);
  if (!found.success) return [];
  const { machines, wrong } = found.output;
  return [
    ...machines.flatMap(({ name, says }) => (name === machine ? (says.value?.sentence ?? []) : [])),
    ...wrong.flatMap(({ where, what }) => (where === machine ? what : [])),
  ];
}
