import * as v from "valibot";
import { until } from "../src/machine/clock.ts";
import { seconds, type Progress } from "../src/machine/progress.ts";
import { draw } from "../src/record/draw.ts";
import { gapOf } from "../src/record/gap.ts";
import type { Failover } from "../src/record/timeline.ts";
import { addressOf } from "../src/render/api-address.ts";
import { apiUrl } from "../src/render/kubernetes/names.ts";
import { type MachineName, machine_names } from "../src/scenario/slots.ts";
import { Crew } from "./api-clients/crew.ts";
import { bringAddress } from "./bring-address.ts";
import { demoLab, failoverOf, gapText, untilBack } from "./demo.ts";
import { type Lab, machineOf } from "./folder.ts";
import { waitKubernetes } from "./kubernetes/ready.ts";
import { metalOf } from "./metal/power.ts";
import { untilRecorded } from "./records.ts";
import { runIn, seatName } from "./run.ts";
import { labUp } from "./up.ts";

/** The second part: the machine that leads etcd is lost, and clients of the API tell what it was like. */
export interface ApiResult {
  readonly up_ms: number;
  readonly address: string;
  /** Who held the address before and after. */
  readonly held: readonly [before: string | null, after: string | null];
  readonly failover: Failover;
  readonly clients: SeenByClients;
  /** From the loss to both nodes Ready again. */
  readonly ready_ms: number;
}

export interface SeenByClients {
  readonly acknowledged: number;
  /** An error, or no answer. */
  readonly failed: number;
  /** The longest time between two acknowledged writes. */
  readonly gap_ms: number;
  /** What does not hold of all that they wrote and watched; then their history is kept. */
  readonly problems: readonly string[];
  readonly history?: string;
}

const back_ms_max = 180_000;
const status_ms = 60_000;
/** Writes in peace before the loss, and after it before it counts as over: two seconds of them. */
const writes = 40;
const lead_tries = 3;

export const kubernetesUp = (progress: Progress): Promise<Lab> =>
  labUp({ name: demoLab, disk_mb: 4096, off_ms: 1000, on_ms: 1000, wait: true, kubernetes: true }, progress);

export async function demoKubernetes(lab: Lab, progress: Progress): Promise<Omit<ApiResult, "up_ms">> {
  const address = addressOf(lab.site) ?? "";
  const crew = await progress.step(`clients at the seat write to the API at ${address}, and watch it`, () =>
    Crew.begin(lab),
  );
  try {
    await progress.step("two seconds of writes in peace", () => crew.more(writes, back_ms_max));
    const { leader: gone, holder: before } = await progress.step(
      "the API's address is led to the machine that leads etcd: who loses that one loses both",
      () => leadAddress(lab),
    );
    const survivor = gone === "node1" ? "node2" : "node1";
    const lost_ms = progress.total_ms;
    await progress.step(`${gone}, which leads etcd, loses its power (cut: no goodbye)`, () =>
      metalOf(lab, gone).cut(),
    );
    await progress.step(`${survivor} serves alone, and the clients' writes are answered again`, async () => {
      await untilRecorded(lab, survivor, "takeover ends", {
        after: "takeover begins",
        deadline_ms: back_ms_max,
      });
      await crew.more(writes, back_ms_max);
    });
    const records = await untilBack(lab, survivor, gone, progress);
    await progress.step(`${gone}'s API server is back, both nodes are Ready`, async () => {
      await apiServerBack(lab, gone);
      await waitKubernetes(lab);
    });
    const ready_ms = progress.total_ms - lost_ms;
    const clients = await progress.step("all that they wrote and saw is held against what is there", () =>
      seenBy(crew),
    );
    const { holder: after } = await whoLeads(lab);
    await crew.clean();
    return { address, held: [before, after], failover: failoverOf(survivor, records), clients, ready_ms };
  } finally {
    crew.kill();
  }
}

async function seenBy(crew: Crew): Promise<SeenByClients> {
  const { gap_ms } = await crew.stop();
  const { acknowledged, failed, open, problems } = await crew.check(false);
  return {
    acknowledged,
    failed: failed + open,
    gap_ms,
    problems,
    ...(problems.length === 0 ? {} : { history: await crew.keep() }),
  };
}

const statusShape = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    leader: v.nullable(v.string()),
    api: v.nullable(v.object({ on: v.nullable(v.object({ value: v.optional(v.nullable(v.string())) })) })),
  }),
);

/** Its kubelet has started it: until then the API may still take the node that was lost for Ready. */
async function apiServerBack(lab: Lab, name: string): Promise<void> {
  const server = `--server=${apiUrl(machineOf(lab, name).machine.addresses[0] ?? "")}`;
  const words = ["kubectl", server, "get", "--raw", "/readyz", "--request-timeout=5s"];
  await until(
    `the API server of ${name}`,
    async () => (await runIn(lab, seatName, words, { accept: "any", deadline_ms: status_ms })).status === 0,
    { deadline_ms: back_ms_max, every_ms: 500 },
  );
}

/** A leader changes now and then, above all on a busy box: then it is led after him. */
async function leadAddress(lab: Lab) {
  let seen = await whoLeads(lab);
  for (let tries = 0; tries < lead_tries; tries += 1) {
    const { leader } = seen;
    await bringAddress(lab, leader);
    seen = await whoLeads(lab);
    if (seen.leader === leader && seen.holder === leader) break;
  }
  return seen;
}

/** By one of two machines that are both up: quicker than from the seat, and it is known there. */
async function whoLeads(lab: Lab): Promise<{ leader: MachineName; holder: string | null }> {
  return await until(
    "a leader of etcd",
    async () => {
      const words = ["duet", "status", "--no-power", "--json"];
      const { stdout } = await runIn(lab, "node1", words, { accept: "any", deadline_ms: status_ms });
      const { success, output } = v.safeParse(statusShape, stdout);
      const leader = success ? machine_names.find((name) => name === output.leader) : undefined;
      if (!success || leader === undefined) return false;
      return { leader, holder: output.api?.on?.value ?? null };
    },
    { deadline_ms: back_ms_max, every_ms: 500 },
  );
}

export function apiSummary(result: ApiResult, columns: number): string {
  const { failover, clients, address, held, up_ms, ready_ms } = result;
  const { acknowledged, failed, gap_ms, problems, history = "" } = clients;
  const [before, after] = held.map((name) => name ?? "nobody");
  return [
    "",
    draw(failover, { columns, bold: (text) => text }),
    ...gapText(gapOf(failover), failover.gone),
    "",
    `What two writers, of ten writes a second each, and two watchers saw of the API at ${address}:`,
    `  for ${seconds(gap_ms)} no write was answered; ${acknowledged} were acknowledged, ${failed} got an error or no answer`,
    ...(problems.length === 0
      ? ["  every acknowledged write is still there, and both watchers saw each write once and in order"]
      : [
          `  this must not happen, please report it with the history in ${history}:`,
          ...problems.map((each) => `    ${each}`),
        ]),
    `  the address was held by ${before}, and is held by ${after} now`,
    `From nothing to a Kubernetes API on two machines it took ${seconds(up_ms)}; from the loss to both nodes Ready, ${seconds(ready_ms)}.`,
    "",
  ].join("\n");
}
