import { readFile } from "node:fs/promises";
import { Crew } from "../../../lab/api-clients/crew.ts";
import { type Entry, readHistory } from "../../../lab/api-clients/history.ts";
import { waitKubernetes } from "../../../lab/kubernetes/ready.ts";
import { runIn, seatName } from "../../../lab/run.ts";
import { fail } from "../../../src/base/problem.ts";
import { sleep } from "../../../src/machine/clock.ts";
import { otherThan } from "../../../src/scenario/slots.ts";
import { longestGap } from "../failover/acks.ts";
import type { Stopped } from "../failover/cases.ts";
import { letLead, type Place, preferred } from "../failover/place.ts";
import { whole } from "./loss.ts";

/** Clients that begin are not what is measured; then they write so long in peace. */
const begin_ms = 1_000;
const calm_ms = 5_000;
const after_ms = 2_000;
const reboot_ms_max = 20 * 60_000;

export interface RebootRun {
  /** The longest time between two acknowledged writes, from the command until both nodes are Ready and a little more. */
  readonly gap_ms: number;
  /** The longest in the seconds before: what this box does by itself. */
  readonly calm_ms: number;
}

/** When writes were acknowledged, in order. */
export const apiAcks = (history: readonly Entry[]): readonly number[] =>
  history
    .flatMap((entry) => (entry.kind === "answer" && entry.outcome === "ok" ? [entry.at_ms] : []))
    .toSorted((a, b) => a - b);

/** `duet reboot` at the operator's seat, which ends at 1+1, with the address wherever it is. */
export async function rebootApi(
  place: Place,
  which: Stopped,
  say: (detail: string) => void,
): Promise<RebootRun> {
  const { lab } = place;
  await whole(place);
  const leader = preferred(lab);
  await letLead(place, leader);
  const machine = which === "leader" ? leader : otherThan(leader);
  const crew = await Crew.begin(lab);
  try {
    await sleep(begin_ms + calm_ms);
    const asked_ms = Date.now();
    await runIn(lab, seatName, ["duet", "reboot", machine], { deadline_ms: reboot_ms_max });
    await waitKubernetes(lab);
    await sleep(after_ms);
    const end_ms = Date.now();
    await crew.stop();
    const acks = apiAcks(readHistory(await readFile(crew.history, "utf8")));
    const [during, before] = [
      longestGap(acks, asked_ms, end_ms),
      longestGap(acks, asked_ms - calm_ms, asked_ms - 1),
    ];
    if (during === undefined || before === undefined)
      return fail(
        "DUET-E-PROCESS-FAILED",
        "the clients",
        "no write was acknowledged",
        "see the API servers' logs",
      );
    const gap_ms = during.end_ms - during.begin_ms;
    say(`${gap_ms.toFixed(0)} ms without a write`);
    await crew.clean();
    return { gap_ms, calm_ms: before.end_ms - before.begin_ms };
  } finally {
    crew.kill();
  }
}
