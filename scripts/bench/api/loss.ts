import { Crew } from "../../../lab/api-clients/crew.ts";
import type { ApiStatus } from "../../../lab/api-clients/status.ts";
import { cutWire, healWire } from "../../../lab/fault-commands.ts";
import type { Lab } from "../../../lab/folder.ts";
import { deploy, type Pod, readyPods, respread, wholePods } from "../../../lab/kubernetes/deployment.ts";
import { waitKubernetes } from "../../../lab/kubernetes/ready.ts";
import { switchPower } from "../../../lab/power-commands.ts";
import { wiresNamed } from "../../../lab/scenario-care.ts";
import { sleep, until } from "../../../src/machine/clock.ts";
import { otherThan } from "../../../src/scenario/slots.ts";
import type { LossCase } from "../failover/cases.ts";
import { told } from "../failover/loss.ts";
import { type ClientGap, momentsOf } from "../failover/parts.ts";
import { letLead, type Place, preferred, untilWhole } from "../failover/place.ts";
import { addressUp_ms } from "./journal.ts";
import { type ApiParts, apiParts } from "./parts.ts";

const steady_ms = 3_000;
const back_ms_max = 240_000;
/** Shorter ones a busy box makes by itself. */
const gap_ms_min = 1_000;
/** So long without another gap, and the API is back. */
const calm_ms = 3_000;
const pods = 4;
const pods_ms_max = 180_000;

export interface ApiRun extends ApiParts {
  readonly survivor: string;
  /** From Off until a pod that replaces one of the dead machine's was ready. */
  readonly replaced_ms: number | undefined;
}

/** Two whole machines with Kubernetes, whose pods can be entered. */
export async function whole({ lab, etcds }: Place): Promise<void> {
  await untilWhole(etcds);
  await waitKubernetes(lab);
  await until("a deployment is made", () => deploy(lab, pods), { deadline_ms: pods_ms_max });
  await until("its pods are ready", () => wholePods(lab, pods), { deadline_ms: pods_ms_max, every_ms: 500 });
}

/** One loss while clients of the API write, from two whole machines to two whole machines. */
export async function loseApi(place: Place, loss: LossCase, say: (detail: string) => void): Promise<ApiRun> {
  const { lab, etcds } = place;
  await whole(place);
  const survives = loss.survivor === "first" ? preferred(lab) : otherThan(preferred(lab));
  const gone = otherThan(survives);
  await letLead(place, loss.lost === "leader" ? gone : survives);
  const before = await podsWith(lab, gone);
  const crew = await Crew.begin(lab);
  try {
    await sleep(steady_ms);
    const fault_ms = Date.now();
    const replaced = before.some(({ machine }) => machine === gone) ? firstNewPod(lab, before) : undefined;
    if (loss.lost === "wire")
      for (const wire of wiresNamed("links")) await cutWire(lab.name, wire, undefined);
    else await switchPower(lab.name, gone, loss.way === "hang" ? "hang" : "cut");
    const gap = await untilBack(crew, fault_ms);
    say(`${((gap.end_ms - gap.begin_ms) / 1000).toFixed(1)} s without the API`);
    const replaced_at_ms = await replaced;
    if (loss.lost === "wire")
      for (const wire of wiresNamed("links")) await healWire(lab.name, wire, undefined);
    crew.kill();
    await untilWhole(etcds);
    const { failover, entries } = await told(lab, fault_ms);
    const { detected_ms, confirmed_ms } = momentsOf(failover, entries);
    const served = failover.phases.find(({ name }) => name === "first write served")?.at_ms;
    const served_ms = served === undefined ? undefined : Date.parse(failover.at) + served;
    const address_ms = await addressUp_ms(lab, failover.survivor, fault_ms);
    await crew.clean();
    return {
      ...apiParts(gap, { detected_ms, confirmed_ms, served_ms, address_ms }),
      survivor: failover.survivor,
      replaced_ms:
        replaced_at_ms === undefined || confirmed_ms === undefined
          ? undefined
          : replaced_at_ms - confirmed_ms,
    };
  } finally {
    crew.kill();
  }
}

const gapOf = ({ gap_ms, gap_end_ms }: ApiStatus): ClientGap => ({
  begin_ms: gap_end_ms - gap_ms,
  end_ms: gap_end_ms,
});

async function untilBack(crew: Crew, fault_ms: number): Promise<ClientGap> {
  return await until(
    "the API takes writes again",
    async () => {
      const status = await crew.fresh();
      const gap = gapOf(status);
      const over = status.last_ms >= gap.end_ms + calm_ms;
      return over && gap.end_ms > fault_ms && status.gap_ms > gap_ms_min ? gap : undefined;
    },
    { deadline_ms: back_ms_max },
  );
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
