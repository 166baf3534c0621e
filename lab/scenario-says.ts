import * as v from "valibot";
import type { MachineName } from "../src/scenario/slots.ts";

/** Of `duet status --json`: what the machines say, and what is told to be wrong with them. */
const shown = v.object({
  machines: v.array(
    v.object({
      name: v.string(),
      pacemaker: v.optional(v.object({ value: v.optional(v.string()) })),
      says: v.object({ value: v.optional(v.nullable(v.object({ sentence: v.string() }))) }),
    }),
  ),
  wrong: v.array(v.object({ where: v.string(), what: v.string() })),
});

/**
 * What a status has this machine itself say: the sentence that it goes by, and what is wrong with it. What it says of the other machine,
 * and what it advises to do, is no word of this one's. On standby a person is shown no sentence that it goes by.
 */
export function saidBy(status: unknown, machine: MachineName): readonly string[] {
  const found = v.safeParse(shown, status);
  if (!found.success) return [];
  const { machines, wrong } = found.output;
  return [
    ...machines.flatMap(({ name, pacemaker, says }) =>
      name === machine && pacemaker?.value !== "standby" ? (says.value?.sentence ?? []) : [],
    ),
    ...wrong.flatMap(({ where, what }) => (where === machine ? what : [])),
  ];
}

/** Everything that a status has in words, but for what nobody is shown: the sentence that a machine on standby went by before. */
export function shownIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  const hidden = v.is(onStandby, value);
  return Object.entries(value).flatMap(([key, each]) => (hidden && key === "says" ? [] : shownIn(each)));
}

const onStandby = v.object({ pacemaker: v.object({ value: v.literal("standby") }) });

const told = v.object({
  sentence: v.string(),
  wrong: v.array(v.object({ where: v.string(), what: v.string() })),
});

/** For who reads what was said instead: its sentence, and what it tells to be wrong. */
export function toldIn(status: unknown): string {
  const found = v.safeParse(told, status);
  if (!found.success) return "there is no status";
  const { sentence, wrong } = found.output;
  return [sentence, ...wrong.map(({ where, what }) => `${where}: ${what}`)].join("; ");
}
