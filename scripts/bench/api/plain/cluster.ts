import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { planAddresses } from "../../../../lab/addresses.ts";
import { parseStatus } from "../../../../lab/etcdctl.ts";
import { allMachines, type Lab, lab_mode, machineOf } from "../../../../lab/folder.ts";
import { waitParts } from "../../../../lab/kubernetes/ready.ts";
import { isHung, metalOf } from "../../../../lab/metal/power.ts";
import { passing, runIn, seatName } from "../../../../lab/run.ts";
import { writeSeat } from "../../../../lab/seat.ts";
import { install } from "../../../../lab/up.ts";
import { until } from "../../../../src/machine/clock.ts";
import { replaceSynced } from "../../../../src/machine/files.ts";
import { hasKubernetes } from "../../../../src/render/kubernetes/names.ts";
import { accessObjects, dnsObjects } from "../../../../src/render/kubernetes/objects.ts";
import { etcdctl, moveLeader } from "../../failover/place.ts";
import { serversReady } from "../ready.ts";
import { PlainKeys } from "./keys.ts";
import { plainIgnition, plainSite } from "./machine.ts";

const ready_ms_max = 300_000;
const lead_ms_max = 60_000;
const call_ms = 30_000;

/** Plain machines on the wires of a lab that was only laid; what is lost and cut there is lost and cut as in every lab. */
export class PlainCluster {
  readonly lab: Lab;
  readonly names: readonly string[];
  readonly #keys: PlainKeys;

  private constructor(lab: Lab, keys: PlainKeys) {
    this.lab = lab;
    this.names = lab.site.machines.map(({ name }) => name);
    this.#keys = keys;
  }

  /** From empty disks until all nodes are Ready. */
  static async up(laid: Lab, count: number, say: (detail: string) => void): Promise<PlainCluster> {
    if (!hasKubernetes(laid.site)) throw new Error("bug: a lab without Kubernetes");
    const site = plainSite(laid.site, count);
    const lab: Lab = { ...laid, site, addresses: planAddresses(site).addresses };
    await writeSeat(lab);
    const folder = join(lab.folder, "plain");
    const keys = await PlainKeys.make(site, folder);
    const cluster = new PlainCluster(lab, keys);
    const [first] = site.machines;
    if (first === undefined) throw new Error("bug: a site without machines");
    // As a master until the objects are there by which an administrator may do something.
    await cluster.#speakAs(keys.master(first));
    say("disks");
    await Promise.all(
      allMachines(lab).map(async (m) => {
        await mkdir(m.folder, { recursive: true, mode: lab_mode });
        const file = join(folder, `${m.machine.name}.ign`);
        const content = plainIgnition(site, m.machine, await keys.files(m.machine));
        await writeFile(file, JSON.stringify(content), { mode: 0o600 });
        await install(lab, m, file);
      }),
    );
    say("first boot");
    await cluster.whole();
    say("objects");
    const items = [...accessObjects(site), ...dnsObjects(site, true)].map(({ body }) => body);
    const words = ["kubectl", "apply", "--filename=-"];
    const input = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    await until(
      "the objects of a control plane are made",
      async () =>
        (await runIn(lab, seatName, words, { accept: "any", deadline_ms: call_ms, input })).status === 0,
      { deadline_ms: ready_ms_max, every_ms: 500 },
    );
    await cluster.speakTo(first.name);
    say("nodes and DNS");
    await waitParts(lab);
    return cluster;
  }

  /** Whoever sits at the seat speaks to this machine's API server from now on. */
  async speakTo(name: string): Promise<void> {
    const { machine } = machineOf(this.lab, name);
    await this.#speakAs(await this.#keys.admin(machine));
  }

  async #speakAs(kubeconfig: string): Promise<void> {
    await replaceSynced(join(this.lab.folder, "site", "kubeconfig"), kubeconfig, 0o600);
  }

  /** All have power, and none hangs any more; each API server is ready. */
  async whole(): Promise<void> {
    await Promise.all(
      allMachines(this.lab).map(async (m) => {
        const metal = metalOf(this.lab, m.machine.name);
        if (await isHung(this.lab, m)) await metal.cut();
        await metal.on();
      }),
    );
    await serversReady(this.lab);
  }

  async letLead(name: string): Promise<void> {
    await until(
      `${name} leads`,
      async () => {
        const leader = await this.#leader();
        if (leader === undefined || leader === name) return leader === name;
        // It may refuse, or be another one's by now: it is asked again.
        return await passing(async () => {
          await moveLeader(this.lab, leader, name);
          return false;
        });
      },
      { deadline_ms: lead_ms_max, every_ms: 500 },
    );
  }

  async #leader(): Promise<string | undefined> {
    for (const name of this.names) if (await passing(() => this.#leads(name))) return name;
    return undefined;
  }

  async #leads(name: string): Promise<boolean> {
    const words = ["endpoint", "status", "--write-out=fields"];
    const { stdout } = await etcdctl(this.lab, name, words, { accept: "any" });
    const status = parseStatus(stdout);
    return status !== undefined && status.id === status.leader;
  }
}
