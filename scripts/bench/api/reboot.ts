import { bringAddress } from "../../../lab/bring-address.ts";
import { Crew } from "../../../lab/api-clients/crew.ts";
import { recordOf } from "../../../lab/records.ts";
import { runIn, seatName } from "../../../lab/run.ts";
import { sleep } from "../../../src/machine/clock.ts";
import { otherThan } from "../../../src/scenario/slots.ts";
import type { Stopped } from "../failover/cases.ts";
import { leaderNow, refuseOther } from "../failover/loss.ts";
import { letLead, type Place, preferred } from "../failover/place.ts";
import { otherLeader } from "../failover/survivor.ts";
import { type RebootGaps, rebootGaps, rebootMoments } from "../return/parts.ts";
import type { Say } from "./attempts.ts";
import { apiAcks, longest_ms } from "./gaps.ts";
import { awake, whole } from "./whole.ts";

/** Clients that begin are not what is measured; then they write so long in peace. */
const begin_ms = 1_000;
const calm_ms = 5_000;
const after_ms = 2_000;
const reboot_ms_max = 20 * 60_000;

export interface RebootRun extends RebootGaps {
  /** The longest time between two acknowledged writes, from the command until both nodes are Ready and a little more. */
  readonly gap_ms: number;
  /** The longest in the seconds before: what this box does by itself. */
  readonly calm_ms: number;
}

/** `duet reboot` at the operator's seat, which ends at 1+1, of the machine that has the address. */
export async function rebootApi(place: Place, which: Stopped, say: Say): Promise<RebootRun> {
  const { lab, etcds } = place;
  await whole(place);
  const leader = preferred(lab);
  await letLead(place, leader);
  const machine = which === "leader" ? leader : otherThan(leader);
  await bringAddress(lab, machine);
  const crew = await Crew.begin(lab);
  try {
    await sleep(begin_ms + calm_ms);
    refuseOther(otherLeader(await leaderNow(etcds), leader, "reboot"));
    const asked_ms = Date.now();
    await runIn(lab, seatName, ["duet", "reboot", machine], { deadline_ms: reboot_ms_max });
    await awake(place);
    await sleep(after_ms);
    const end_ms = Date.now();
    await crew.stop();
    const acks = apiAcks(await crew.entries());
    const gap_ms = longest_ms(acks, asked_ms, end_ms);
    const before_ms = longest_ms(acks, asked_ms - calm_ms, asked_ms - 1);
    const moments = rebootMoments(await recordOf(lab, machine), asked_ms);
    say(`${gap_ms.toFixed(0)} ms without a write`);
    await crew.clean();
    return { gap_ms, ...rebootGaps(acks, asked_ms, moments, end_ms), calm_ms: before_ms };
  } finally {
    crew.kill();
  }
}
