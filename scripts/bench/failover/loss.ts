import { Crowd } from "../../../lab/clients/crowd.ts";
import type { Status } from "../../../lab/clients/status.ts";
import { cutWire, healWire } from "../../../lab/fault-commands.ts";
import type { Lab } from "../../../lab/folder.ts";
import { recordOf } from "../../../lab/records.ts";
import type { Etcds } from "../../../lab/scenario-etcds.ts";
import { wiresNamed } from "../../../lab/scenario-care.ts";
import { switchPower } from "../../../lab/power-commands.ts";
import { fail } from "../../../src/base/problem.ts";
import { sleep, until } from "../../../src/machine/clock.ts";
import type { Told } from "../../../src/record/entry.ts";
import { failovers } from "../../../src/record/failover.ts";
import type { Failover } from "../../../src/record/timeline.ts";
import { type MachineName, machine_names, otherThan } from "../../../src/scenario/slots.ts";
import { delay_ms, type LossCase } from "./cases.ts";
import { type ClientGap, momentsOf, partsOf } from "./parts.ts";
import { letLead, type Place, preferred, untilWhole } from "./place.ts";
import { otherEnd, otherStart, type Roles, rolesOf } from "./survivor.ts";
import type { LossRun } from "./table.ts";

/** They write so long before anything is lost. */
const steady_ms = 3_000;
const back_ms_max = 240_000;
/** Shorter ones a busy box makes by itself. */
const gap_ms_min = 1_000;
/** So long without another gap, and writes are back. */
const calm_ms = 1_000;
/** The journals are read when nothing is left to do. */
const record_ms_max = 60_000;
/** On a busy box etcdctl may not answer at first. */
const look_ms_max = 20_000;

/** One loss under load, from two whole machines to two whole machines. */
export async function lose(place: Place, loss: LossCase, say: (detail: string) => void): Promise<LossRun> {
  const { lab, etcds, seat, facts } = place;
  await untilWhole(etcds);
  const roles = rolesOf(loss, preferred(lab));
  const gone = otherThan(roles.survives);
  await letLead(place, roles.leads);
  const crowd = await Crowd.begin(seat);
  try {
    await sleep(steady_ms);
    const turns = await turnsBefore(etcds, loss, roles);
    const fault_ms = Date.now();
    if (loss.lost === "wire")
      for (const wire of wiresNamed("links")) await cutWire(lab.name, wire, undefined);
    else await switchPower(lab.name, gone, loss.way === "hang" ? "hang" : "cut");
    const gap = await untilBack(crowd, fault_ms);
    say(`${((gap.end_ms - gap.begin_ms) / 1000).toFixed(1)} s without writes`);
    if (loss.lost === "wire")
      for (const wire of wiresNamed("links")) await healWire(lab.name, wire, undefined);
    // Nobody looks at the history: those that wait for a dead machine need not be waited for.
    crowd.kill();
    await untilWhole(etcds);
    const { failover, entries } = await told(lab, fault_ms);
    await crowd.clean();
    const { survivor } = failover;
    refuseOther(otherEnd(loss, roles, survivor));
    const turn = turns.get(survivor);
    return {
      ...partsOf(gap, momentsOf(failover, entries)),
      survivor,
      turn,
      delay_ms: delay_ms(loss, turn, facts?.turn_ms),
    };
  } finally {
    crowd.kill();
  }
}

/** Right before the loss: both machines' turns, if all is as the case is named. */
export async function turnsBefore(
  etcds: Etcds,
  loss: LossCase,
  roles: Roles,
): Promise<ReadonlyMap<string, number | undefined>> {
  const leader = await leaderNow(etcds);
  const turns = await until("both machines' turns are told", () => turnsOf(etcds), {
    deadline_ms: look_ms_max,
  });
  refuseOther(otherStart(loss, roles, leader, turns.get(roles.survives)));
  return turns;
}

export const leaderNow = (etcds: Etcds): Promise<MachineName> =>
  until("a leader is told", () => etcds.leader(), { deadline_ms: look_ms_max });

/** A run in which something else was lost than its name says is a failed one, and in no median. */
export function refuseOther(why: string | undefined): void {
  if (why !== undefined)
    fail(
      "DUET-E-PROCESS-FAILED",
      "another case",
      why,
      "run it again; see both etcds' logs, and duet explain",
    );
}

/** By the files of both; undefined: one of them can't be read now. */
async function turnsOf(etcds: Etcds): Promise<ReadonlyMap<string, number | undefined> | undefined> {
  const turns = new Map<string, number | undefined>();
  for (const name of machine_names) {
    const state = await etcds.stateOf(name);
    if (state === undefined) return undefined;
    turns.set(name, state.turn);
  }
  return turns;
}

/** The longest gap, on the wall clock. */
function gapOf({ begun_ms, gap_us, gap_end_us }: Status): ClientGap {
  const end_ms = begun_ms + gap_end_us / 1000;
  return { begin_ms: end_ms - gap_us / 1000, end_ms };
}

/** Until writes are acknowledged again, and go on. */
async function untilBack(crowd: Crowd, fault_ms: number): Promise<ClientGap> {
  return await until(
    "writes are acknowledged again",
    async () => {
      const status = await crowd.fresh();
      const gap = gapOf(status);
      const over = status.last_us >= status.gap_end_us + calm_ms * 1000;
      return over && gap.end_ms > fault_ms && gap.end_ms - gap.begin_ms > gap_ms_min ? gap : undefined;
    },
    { deadline_ms: back_ms_max, every_ms: 100 },
  );
}

/** The failover as both machines' recorders have it, when they have read their journals. */
export async function told(
  lab: Lab,
  fault_ms: number,
): Promise<{ readonly failover: Failover; readonly entries: readonly Told[] }> {
  return await until(
    "both machines' records tell of the takeover, by Corosync's journal",
    async () => {
      const entries = (await Promise.all(machine_names.map((name) => recordOf(lab, name)))).flat();
      const failover = failovers(entries, 4).find(
        ({ at, epoch }) => epoch !== undefined && Date.parse(at) >= fault_ms,
      );
      const detected = failover?.phases.find(({ name }) => name === "detected");
      // With a note it is not known when: only a look has seen it yet.
      return failover !== undefined && detected?.note === undefined ? { failover, entries } : undefined;
    },
    { deadline_ms: record_ms_max, every_ms: 1_000 },
  );
}
