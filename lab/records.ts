import { DuetError, fail } from "../src/base/problem.ts";
import { now_ms, sleep } from "../src/machine/clock.ts";
import type { EventName, Told } from "../src/record/entry.ts";
import { parseRecord } from "../src/record/read.ts";
import type { Lab } from "./folder.ts";
import { runIn } from "./run.ts";

const again_ms = 500;

/** What the flight recorder of a machine holds now; nothing while it has no power, or boots. */
export async function recordOf(lab: Lab, machine: string): Promise<readonly Told[]> {
  try {
    const { stdout } = await runIn(lab, machine, ["duet", "record"]);
    return parseRecord(stdout, machine).entries;
  } catch (error) {
    if (!(error instanceof DuetError)) throw error;
    return [];
  }
}

/** Waits until a machine has recorded this event, after another one of its own where one is named; its record as it then is. */
export async function untilRecorded(
  lab: Lab,
  machine: string,
  event: EventName,
  options: { readonly after?: EventName; readonly deadline_ms: number },
): Promise<readonly Told[]> {
  const end_ms = now_ms() + options.deadline_ms;
  for (;;) {
    const entries = await recordOf(lab, machine);
    const is = (name: EventName) => (entry: Told) => entry.kind === "event" && entry.event === name;
    const from = options.after === undefined ? 0 : entries.findLastIndex(is(options.after));
    if (from >= 0 && entries.slice(from).some(is(event))) return entries;
    if (now_ms() >= end_ms)
      return fail(
        "DUET-E-WAIT-DEADLINE",
        machine,
        `its record does not tell of "${event}" within ${options.deadline_ms / 1000} s`,
        `duet lab run ${machine} --name ${lab.name} -- duet explain`,
      );
    await sleep(again_ms);
  }
}
