import { readFile } from "node:fs/promises";
import { Crowd } from "../../../lab/clients/crowd.ts";
import { switchPower } from "../../../lab/power-commands.ts";
import { fail } from "../../../src/base/problem.ts";
import { sleep } from "../../../src/machine/clock.ts";
import { otherThan } from "../../../src/scenario/slots.ts";
import { acksOf, longestGap } from "./acks.ts";
import type { Stopped } from "./cases.ts";
import { letLead, type Place, preferred, untilWhole } from "./place.ts";
import type { StopRun } from "./table.ts";

const per_s = 500;
/** Clients that begin are not what is measured; then they write so long in peace. */
const begin_ms = 2_000;
const calm_ms = 5_000;
/** What a stop does to the survivor it has done by then. */
const after_ms = 3_000;

/** The longest gap while this machine is shut down in good order and the other serves on, and the longest in peace before. */
export async function stopInOrder(
  place: Place,
  stopped: Stopped,
  say: (detail: string) => void,
): Promise<StopRun> {
  const { lab, etcds, seat } = place;
  await untilWhole(etcds);
  const leader = preferred(lab);
  await letLead(place, leader);
  const machine = stopped === "leader" ? leader : otherThan(leader);
  const crowd = await Crowd.begin(seat, per_s);
  try {
    await sleep(begin_ms + calm_ms);
    const stop_ms = Date.now();
    await switchPower(lab.name, machine, "off");
    await sleep(after_ms);
    const end_ms = Date.now();
    const { begun_ms } = await crowd.stop();
    const acks = acksOf(await readFile(crowd.history, "utf8"), begun_ms);
    const [calm, gap] = [longestGap(acks, stop_ms - calm_ms, stop_ms - 1), longestGap(acks, stop_ms, end_ms)];
    if (calm === undefined || gap === undefined)
      return fail(
        "DUET-E-PROCESS-FAILED",
        "the clients",
        "no write was acknowledged",
        "see both etcds' logs",
      );
    const run: StopRun = {
      gap_ms: gap.end_ms - gap.begin_ms,
      after_ms: gap.begin_ms - stop_ms,
      calm_ms: calm.end_ms - calm.begin_ms,
    };
    say(`${run.gap_ms.toFixed(0)} ms without writes, after ${(run.after_ms / 1000).toFixed(1)} s`);
    await switchPower(lab.name, machine, "on");
    await untilWhole(etcds);
    await crowd.clean();
    return run;
  } finally {
    crowd.kill();
  }
}
