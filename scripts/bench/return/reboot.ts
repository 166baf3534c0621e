import { readFile } from "node:fs/promises";
import { Crowd } from "../../../lab/clients/crowd.ts";
import { recordOf } from "../../../lab/records.ts";
import { runIn, seatName } from "../../../lab/run.ts";
import { fail } from "../../../src/base/problem.ts";
import { sleep } from "../../../src/machine/clock.ts";
import { otherThan } from "../../../src/scenario/slots.ts";
import { acksOf, longestGap } from "../failover/acks.ts";
import type { Stopped } from "../failover/cases.ts";
import { letLead, type Place, preferred, untilWhole } from "../failover/place.ts";
import { type RebootGaps, rebootGaps, rebootMoments } from "./parts.ts";

const per_s = 500;
/** Clients that begin are not what is measured; then they write so long in peace. */
const begin_ms = 2_000;
const calm_ms = 5_000;
const after_ms = 2_000;
const reboot_ms_max = 20 * 60_000;

export interface RebootRun extends RebootGaps {
  /** The longest time between two acknowledged writes, from the command to 1+1 and a little more. */
  readonly gap_ms: number;
  /** The longest in the seconds before: what this box does by itself. */
  readonly calm_ms: number;
  /** How long `duet reboot` took. */
  readonly back_ms: number;
}

/** `duet reboot` at the operator's seat, with clients that write. */
export async function rebootInOrder(
  place: Place,
  which: Stopped,
  say: (detail: string) => void,
): Promise<RebootRun> {
  const { lab, etcds, seat } = place;
  await untilWhole(etcds);
  const leader = preferred(lab);
  await letLead(place, leader);
  const machine = which === "leader" ? leader : otherThan(leader);
  const crowd = await Crowd.begin(seat, per_s);
  try {
    await sleep(begin_ms + calm_ms);
    const asked_ms = Date.now();
    await runIn(lab, seatName, ["duet", "reboot", machine], { deadline_ms: reboot_ms_max });
    const whole_ms = Date.now();
    await sleep(after_ms);
    const end_ms = Date.now();
    const { begun_ms } = await crowd.stop();
    const acks = acksOf(await readFile(crowd.history, "utf8"), begun_ms);
    const moments = rebootMoments(await recordOf(lab, machine), asked_ms);
    const [gap, before] = [
      longestGap(acks, asked_ms, end_ms),
      longestGap(acks, asked_ms - calm_ms, asked_ms - 1),
    ];
    if (gap === undefined || before === undefined)
      return fail(
        "DUET-E-PROCESS-FAILED",
        "the clients",
        "no write was acknowledged",
        "see both etcds' logs",
      );
    const [gap_ms, back_ms] = [gap.end_ms - gap.begin_ms, whole_ms - asked_ms];
    say(`${gap_ms.toFixed(0)} ms without writes, 1+1 after ${(back_ms / 1000).toFixed(1)} s`);
    await crowd.clean();
    return {
      gap_ms,
      ...rebootGaps(acks, asked_ms, moments, end_ms),
      calm_ms: before.end_ms - before.begin_ms,
      back_ms,
    };
  } finally {
    crowd.kill();
  }
}
