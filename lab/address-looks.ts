import * as v from "valibot";
import type { MachineName } from "../src/scenario/slots.ts";

/** One look at a machine: has it power, and do its interfaces have the API's address? */
export interface Look {
  readonly machine: MachineName;
  /** Milliseconds since the epoch, when it was over. */
  readonly at_ms: number;
  readonly power: "on" | "hung" | "off";
  /** What has no power holds nothing. */
  readonly holds: boolean;
}

const shape = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(v.object({ addr_info: v.optional(v.array(v.unknown()), []) })),
);

/** What `ip -json address show to ADDRESS` says: it lists the interfaces that have it. */
export const hasAddress = (said: string): boolean =>
  v.parse(shape, said.trim() === "" ? "[]" : said).some(({ addr_info }) => addr_info.length > 0);

/**
 * The first time that both had it. The looks are at one machine and the other in turn, and two are never at the same moment: it counts
 * where one machine had it both before and after the other was seen with it, so that a move from one to the other is none.
 */
export const firstOnBoth = (looks: readonly Look[]): Look | undefined =>
  looks.find(
    ({ holds }, index) => holds && looks[index - 1]?.holds === true && looks[index + 1]?.holds === true,
  );

export interface Move {
  readonly from: MachineName;
  readonly to: MachineName;
  /** From that moment until the other had it: up to one look late, and never early. */
  readonly after_ms: number;
}

/** The first move after that moment, away from who had it then. */
export function moveAfter(looks: readonly Look[], since_ms: number): Move | undefined {
  const before = looks.findLast(({ at_ms, holds }) => holds && at_ms <= since_ms);
  if (before === undefined) return undefined;
  const after = looks.find(
    ({ at_ms, holds, machine }) => holds && at_ms > since_ms && machine !== before.machine,
  );
  return after === undefined
    ? undefined
    : { from: before.machine, to: after.machine, after_ms: after.at_ms - since_ms };
}

/** The machine had power and did not hang in all of this time, as far as it was looked at: from the look before it to the one after. */
export function lived(looks: readonly Look[], machine: string, from_ms: number, to_ms: number): boolean {
  const own = looks.filter((look) => look.machine === machine);
  const first = own.findLastIndex(({ at_ms }) => at_ms <= from_ms);
  const next = own.findIndex(({ at_ms }) => at_ms >= to_ms);
  const during = own.slice(Math.max(0, first), next === -1 ? own.length : next + 1);
  return during.length > 0 && during.every(({ power }) => power === "on");
}

/** The longest time in which nobody looked at one of the machines. */
export function longestBlind_ms(looks: readonly Look[]): number {
  const last = new Map<MachineName, number>();
  let longest_ms = 0;
  for (const { machine, at_ms } of looks) {
    longest_ms = Math.max(longest_ms, at_ms - (last.get(machine) ?? at_ms));
    last.set(machine, at_ms);
  }
  return longest_ms;
}
