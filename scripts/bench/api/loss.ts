import { bringAddress } from "../../../lab/bring-address.ts";
import { Crew } from "../../../lab/api-clients/crew.ts";
import { cutWire, healWire } from "../../../lab/fault-commands.ts";
import type { Lab } from "../../../lab/folder.ts";
import { type Pod, readyPods, respread, wholePods } from "../../../lab/kubernetes/deployment.ts";
import { switchPower } from "../../../lab/power-commands.ts";
import { wiresNamed } from "../../../lab/scenario-care.ts";
import { sleep, until } from "../../../src/machine/clock.ts";
import { otherThan } from "../../../src/scenario/slots.ts";
import { delay_ms, type LossCase } from "../failover/cases.ts";
import { refuseOther, told, turnsBefore } from "../failover/loss.ts";
import { momentsOf } from "../failover/parts.ts";
import { letLead, type Place, preferred } from "../failover/place.ts";
import { otherEnd, rolesOf } from "../failover/survivor.ts";
import type { Say } from "./attempts.ts";
import { untilBack } from "./gaps.ts";
import { addressUp_ms } from "./journal.ts";
import { type ApiParts, apiParts } from "./parts.ts";
import { pods, pods_ms_max, whole } from "./whole.ts";

const steady_ms = 3_000;
const back_ms_max = 240_000;

export interface ApiRun extends ApiParts {
  readonly survivor: string;
  /** Its place in the race to fence when it began; 0 goes first. */
  readonly turn: number | undefined;
  /** What it had to wait for its place in the race to fence, by what was stored; undefined: it is not known. */
  readonly delay_ms: number | undefined;
  /** From Off until a pod that replaces one of the dead machine's was ready. */
  readonly replaced_ms: number | undefined;
}

/**
 * One loss as clients of the virtual IP see it, which is on the machine that goes. From two whole machines until the survivor has told
 * of it: the return of the other is no part of it, and who comes next waits for that.
 */
export async function loseApi(place: Place, loss: LossCase, say: Say): Promise<ApiRun> {
  const { lab, etcds, facts } = place;
  await whole(place);
  const roles = rolesOf(loss, preferred(lab));
  const gone = otherThan(roles.survives);
  await letLead(place, roles.leads);
  const before = await podsWith(lab, gone);
  await bringAddress(lab, gone);
  const crew = await Crew.begin(lab);
  try {
    await sleep(steady_ms);
    const turns = await turnsBefore(etcds, loss, roles);
    const fault_ms = Date.now();
    const replaced = before.some(({ machine }) => machine === gone) ? firstNewPod(lab, before) : undefined;
    if (loss.lost === "wire")
      for (const wire of wiresNamed("links")) await cutWire(lab.name, wire, undefined);
    else await switchPower(lab.name, gone, loss.way === "hang" ? "hang" : "cut");
    const gap = await untilBack(crew, fault_ms, back_ms_max);
    say(`${((gap.end_ms - gap.begin_ms) / 1000).toFixed(1)} s without the API`);
    if (loss.lost === "wire")
      for (const wire of wiresNamed("links")) await healWire(lab.name, wire, undefined);
    crew.kill();
    const replaced_at_ms = await replaced;
    const { failover, entries } = await told(lab, fault_ms);
    const { survivor } = failover;
    refuseOther(otherEnd(loss, roles, survivor));
    const moments = momentsOf(failover, entries);
    const { confirmed_ms } = moments;
    const served = failover.phases.find(({ name }) => name === "first write served")?.at_ms;
    const served_ms = served === undefined ? undefined : Date.parse(failover.at) + served;
    const address_ms = await addressUp_ms(lab, survivor, fault_ms);
    await crew.clean();
    const turn = turns.get(survivor);
    return {
      ...apiParts(gap, { ...moments, served_ms, address_ms }),
      survivor,
      turn,
      delay_ms: delay_ms(loss, turn, facts?.turn_ms),
      replaced_ms:
        replaced_at_ms === undefined || confirmed_ms === undefined
          ? undefined
          : replaced_at_ms - confirmed_ms,
    };
  } finally {
    crew.kill();
  }
}

/** Where an earlier loss has left none on the machine that is to go, all are made anew: else none would be replaced. */
async function podsWith(lab: Lab, gone: string): Promise<readonly Pod[]> {
  const now = await readyPods(lab);
  if (now.some(({ machine }) => machine === gone)) return now;
  await respread(lab);
  return await until("its pods are ready", () => wholePods(lab, pods), {
    deadline_ms: pods_ms_max,
    every_ms: 500,
  });
}

/** By this process's clock, and so late as one look at the pods takes, half a second as a rule; undefined: none came. */
async function firstNewPod(lab: Lab, before: readonly Pod[]): Promise<number | undefined> {
  const known = new Set(before.map(({ name }) => name));
  try {
    return await until(
      "a pod is replaced",
      async () => ((await readyPods(lab)).some(({ name }) => !known.has(name)) ? Date.now() : undefined),
      { deadline_ms: pods_ms_max, every_ms: 300 },
    );
  } catch {
    return undefined;
  }
}
