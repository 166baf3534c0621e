import * as v from "valibot";
import { operatorsSeat } from "../../../lab/clients/seat.ts";
import { takeDown } from "../../../lab/down.ts";
import { type Lab, labFolder } from "../../../lab/folder.ts";
import { lockedLab } from "../../../lab/lock.ts";
import { runIn } from "../../../lab/run.ts";
import { Etcds } from "../../../lab/scenario-etcds.ts";
import { Stage } from "../../../lab/scenario-stage.ts";
import { labUp } from "../../../lab/up.ts";
import { probeReport } from "../../../src/agents/check/probe.ts";
import { etcdPorts } from "../../../src/base/paths.ts";
import { exit, fail } from "../../../src/base/problem.ts";
import { now_ms, sleep, until } from "../../../src/machine/clock.ts";
import { exists } from "../../../src/machine/files.ts";
import type { RunOptions, RunResult } from "../../../src/machine/process.ts";
import type { Progress } from "../../../src/machine/progress.ts";
import { localUrl, tlsFile } from "../../../src/render/etcd.ts";
import { type MachineName, machine_names } from "../../../src/scenario/slots.ts";
import { type BmcName, bmcs } from "./cases.ts";
import type { Store } from "./data.ts";
import type { LabFacts } from "./table.ts";

export const lab_name = "bench-failover";
const fence_test_ms_max = 300_000;
const whole_ms_max = 300_000;
const turns_ms_max = 30_000;

/** Two whole machines, and the seat of their clients. */
export interface Place extends Store {
  /** Undefined where the fence was not measured. */
  readonly facts: LabFacts | undefined;
}

/** What a bench's lab has that others have not. */
export interface PlaceOptions {
  readonly name?: string;
  readonly kubernetes?: boolean;
  /** False: no machine is switched off to measure it. Who is second in the race to fence waits longer then. */
  readonly fenceTest?: boolean;
}

/** A lab with these BMCs: made when it is needed, and anew after a run that failed, as nobody knows what that one is in. */
export class Places {
  readonly #bmc: BmcName;
  readonly #disk_mb: number;
  readonly #progress: Progress;
  readonly #options: Required<PlaceOptions>;
  #place: Place | undefined;
  #facts: LabFacts | undefined;
  #made = false;

  constructor(bmc: BmcName, disk_mb: number, progress: Progress, options: PlaceOptions = {}) {
    this.#options = { name: lab_name, kubernetes: false, fenceTest: true, ...options };
    this.#bmc = bmc;
    this.#disk_mb = disk_mb;
    this.#progress = progress;
  }

  async place(): Promise<Place> {
    this.#place ??= await this.#make();
    this.#facts = this.#place.facts;
    return this.#place;
  }

  /** Of the lab that was there last. */
  get facts(): LabFacts | undefined {
    return this.#facts;
  }

  async close(): Promise<void> {
    this.#place = undefined;
    if (this.#made) await takeDown(this.#options.name);
    this.#made = false;
  }

  async #make(): Promise<Place> {
    const { name, kubernetes, fenceTest } = this.#options;
    if (await exists(labFolder(name)))
      fail(
        "DUET-E-LAB-EXISTS",
        name,
        "another run of this bench is under way, or was killed",
        `wait for it, or take it down: duet lab down --name ${name}`,
        exit.notHere,
      );
    this.#made = true;
    const bmc = bmcs[this.#bmc];
    const lab = await lockedLab(name, () =>
      labUp({ name, kubernetes, ...bmc, disk_mb: this.#disk_mb, wait: true }, this.#progress),
    );
    const stage = new Stage({
      name,
      header: { pdu: false, bmc: { node1: bmc, node2: bmc }, fencing: "fence_duet", kubernetes },
      progress: this.#progress,
    });
    const etcds = new Etcds(stage);
    await this.#progress.step("two voters, both full", () => untilWhole(etcds));
    const facts = fenceTest
      ? await this.#progress.step("each machine switches the other off, to measure it", (say) =>
          measured(lab, this.#bmc, say),
        )
      : undefined;
    const seat = await operatorsSeat(lab, "node1", this.#progress);
    return { lab, etcds, seat, facts };
  }
}

/** Two voters that are full, by the word of both, and a leader that both know. */
export async function untilWhole(etcds: Etcds): Promise<void> {
  await until("two full voters", () => etcds.isWhole(), { deadline_ms: whole_ms_max, every_ms: 1_000 });
}

/**
 * This machine leads. In the race the preferred one goes first; after a failover the two may have to swap their turns, word by word,
 * and a loss in the middle of that is another case: it is waited for, and who measures a loss of a name looks once more right before it.
 */
export async function letLead(
  { lab, etcds }: Pick<Place, "lab" | "etcds">,
  leader: MachineName,
): Promise<void> {
  await until(
    `${leader} leads`,
    async () => {
      const now = await etcds.leader();
      if (now === leader) return true;
      if (now !== undefined) await moveLeader(lab, now, leader);
      return false;
    },
    { deadline_ms: 60_000, every_ms: 1_000 },
  );
  const first = preferred(lab);
  for (const end_ms = now_ms() + turns_ms_max; now_ms() < end_ms; await sleep(1_000))
    if ((await etcds.stateOf(first))?.turn === 0) return;
}

/** Who goes first in the race to fence. */
export const preferred = ({ site }: Lab): MachineName =>
  site.fencing.preferred === "node2" ? "node2" : "node1";

export async function moveLeader(lab: Lab, from: string, to: string): Promise<void> {
  const { stdout } = await etcdctl(lab, from, ["member", "list"]);
  const id = stdout
    .split("\n")
    .map((line) => line.split(", "))
    .find((fields) => fields[2] === to)?.[0];
  if (id !== undefined) await etcdctl(lab, from, ["move-leader", id], { accept: "any" });
}

/** As a person on the machine would type it. */
export async function etcdctl(
  lab: Lab,
  machine: string,
  argv: readonly string[],
  options?: RunOptions,
): Promise<RunResult> {
  const own = [
    `--endpoints=${localUrl(lab.site, etcdPorts.client)}`,
    `--cacert=${tlsFile("ca", "crt")}`,
    `--cert=${tlsFile("client", "crt")}`,
    `--key=${tlsFile("client", "key")}`,
  ];
  return await runIn(lab, machine, ["etcdctl", ...own, ...argv], options);
}

async function measured(lab: Lab, bmc: BmcName, say: (detail: string) => void): Promise<LabFacts> {
  for (const machine of machine_names) {
    say(`by ${machine}`);
    await runIn(lab, machine, ["duet", "setup", "--fence-test"], { deadline_ms: fence_test_ms_max });
  }
  const { stdout } = await runIn(lab, "node1", ["duet", "probe", "--json"]);
  const { fencing } = v.parse(v.pipe(v.string(), v.parseJson(), probeReport), stdout);
  const offs_ms = Object.values(fencing?.times ?? {}).flatMap(({ off }) =>
    off === undefined ? [] : [off.worst_ms],
  );
  if (fencing === undefined || offs_ms.length !== machine_names.length)
    return fail(
      "DUET-E-FENCE-TEST",
      lab.name,
      "no real Off is known of each machine",
      "see duet check there",
    );
  const { turn_ms } = fencing;
  say(`turns of ${(turn_ms / 1000).toFixed(1)} s`);
  const totem = async (key: string) =>
    Number(
      /= (\d+)$/m.exec(
        (await runIn(lab, "node1", ["corosync-cmapctl", "-g", `runtime.config.totem.${key}`])).stdout,
      )?.[1],
    );
  return { bmc, turn_ms, offs_ms, token_ms: await totem("token"), consensus_ms: await totem("consensus") };
}
