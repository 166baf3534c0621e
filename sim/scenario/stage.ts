import { slowest } from "../../src/scenario/header.ts";
import type { BmcTimes as HeaderTimes, Header } from "../../src/scenario/scenario.ts";
import type { MemberIds } from "../../src/scenario/membership.ts";
import { type MachineName, machine_names } from "../../src/scenario/slots.ts";
import { type Held, newestOf } from "../../src/scenario/takeover.ts";
import type { Seen } from "../../src/scenario/world.ts";
import { duetAgent } from "../agents/etcd.ts";
import { duetFence } from "../agents/fence.ts";
import { stockFence } from "../stock-fence.ts";
import { installGuard } from "../agents/guard.ts";
import type { Node } from "../agents/node.ts";
import { newSite, nodeOf, type Site } from "../agents/site.ts";
import { type BmcTimes, bmcTimes } from "../bmc.ts";
import type { FenceAgent } from "../pacemaker/agent.ts";
import { noPlant, type Plant } from "../plants.ts";
import { leanTimes } from "../raft/times.ts";
import { stormChecks } from "../storm-checks.ts";
import { calm } from "../wire.ts";
import { Load } from "./load.ts";
import { FedWorld } from "./metal.ts";
import { trueSentences } from "../sentences.ts";
import { isWhole } from "./whole.ts";

const second_us = 1_000_000;
/** How finely a wait looks. */
const slice_us = 20_000;
const set_up_us_max = 300 * second_us;
/** So long the burst of writes is on its way before a step does what it says: some are sent, some synced, some answered. */
const in_flight_us = 1_500;

export interface Fence {
  readonly target: number;
  readonly at_us: number;
}

/** Machine 0 is node1. */
export const idOf = (name: MachineName): number => machine_names.indexOf(name);
export const done = (seen = ""): Seen => ({ ok: true, seen });

/** Two simulated machines with duet's own agents, and what a scenario keeps of them. */
export class SimStage {
  readonly world: FedWorld;
  readonly site: Site;
  readonly load: Load;
  /** Fences that somebody asked for, and those that were confirmed. */
  fencesAsked: Fence[] = [];
  fencesConfirmed: Fence[] = [];
  /** Machines that ran and were switched off by a BMC or an outlet, whoever commanded it. */
  switchedOff: number[] = [];
  /** When a step last took something away, and how many writes had failed by then. */
  since_us = 0;
  failuresBefore = 0;
  errorsBefore: readonly number[] = [0, 0];
  /** A step is being done at a moment: time stands still. */
  inMoment = false;
  /** What went wrong at a moment, to be told by the step that runs then. */
  trouble: string | undefined;
  /** So many copies each machine had moved aside before. */
  asideBefore: readonly number[] = [0, 0];
  /** What the pair held when the story began. */
  lineageBefore: ReturnType<typeof newestOf>;
  /** How long a write may take: looked at when it is asked, and once more at the end. */
  readonly bounds_ms: number[] = [];
  /** At the first 1+1 that the story waited for. */
  membersBefore: MemberIds | undefined;
  #begun_us = 0;
  #ready = false;

  constructor(
    header: Pick<Header, "pdu" | "bmc" | "fencing">,
    seed: number,
    options: { readonly trace: boolean; readonly bmcBoot_us?: number; readonly plant?: Plant },
  ) {
    const site = newSite(options.plant ?? noPlant, new Map());
    const times = ({ off_ms, on_ms }: HeaderTimes): BmcTimes => ({
      ...bmcTimes,
      boot_us: options.bmcBoot_us ?? bmcTimes.boot_us,
      off_us: off_ms * 1000,
      on_us: on_ms * 1000,
    });
    const isStock = header.fencing === "fence_redfish";
    this.site = site;
    this.world = new FedWorld(
      { seed },
      {
        agent: (made) => duetAgent(made, site),
        fence: (made) => this.#watched(isStock ? stockFence(made) : duetFence(made, site)),
        checks: [...stormChecks(site), trueSentences(site)],
        trace: options.trace,
        wire: calm,
        etcd: leanTimes,
        bmc: times(slowest(header.bmc)),
        bmcs: [times(header.bmc.node1), times(header.bmc.node2)],
        // A story has no faults but those that it tells. duet's agent waits for its turn itself; for the stock one Pacemaker does.
        pacemaker: {
          fence_delay_us: isStock ? [10_000_000, 0] : [0, 0],
          notify_lost_ppm: 0,
          notify_late_ppm: 0,
        },
      },
    );
    this.load = new Load(this.world);
    site.hasPdu = header.pdu;
    // No story tells of an etcdutl that fails.
    site.raise_fails_ppm = 0;
    this.world.pdu.serving = header.pdu;
    installGuard(this.world, site);
    this.world.pacemaker.onFenced.push((_, target, ok) => {
      if (ok) this.fencesConfirmed.push({ target, at_us: this.world.kernel.now_us });
    });
    this.world.onFenced.push((target) => {
      this.switchedOff.push(target);
    });
    for (const machine of this.world.machines)
      machine.tenants.push({
        // What a machine said ends with its boot.
        dead: ({ id }) => {
          this.node(id).said = "";
        },
      });
  }

  get now_ms(): number {
    return Math.round((this.world.kernel.now_us - this.#begun_us) / 1000);
  }

  node(id: number): Node {
    return nodeOf(this.world, this.site, id);
  }

  /** A machine that was off when it was fenced is not switched off, and one that was switched off may be confirmed by nobody. */
  fencesOf(id: number): number {
    return Math.max(
      this.fencesConfirmed.filter(({ target }) => target === id).length,
      this.switchedOff.filter((target) => target === id).length,
    );
  }

  /** Every fence is one that was asked for, whether the agent then refuses it or not. */
  #watched(agent: FenceAgent): FenceAgent {
    return {
      off: (context) => {
        this.fencesAsked.push({ target: context.target, at_us: this.world.kernel.now_us });
        return agent.off(context);
      },
    };
  }

  /** A site that was set up, was whole, and was switched off in the evening, one machine after the other. Then time begins. */
  async setUp(): Promise<Seen> {
    if (this.#ready) return done();
    this.#ready = true;
    const { world, site } = this;
    for (const machine of world.machines) machine.powerOn();
    const whole = await this.until(set_up_us_max / 1000, "the site did not come up at first", () =>
      isWhole(world, site),
    );
    if (!whole.ok) return whole;
    site.firstStart = false;
    for (const id of [1, 0]) {
      this.press(id);
      const off = await this.until(
        set_up_us_max / 1000,
        "it does not shut down",
        () => !world.machine(id).powered,
      );
      if (!off.ok) return off;
    }
    this.fencesAsked = [];
    this.fencesConfirmed = [];
    this.switchedOff = [];
    this.noteAside();
    this.lineageBefore = newestOf(this.held(() => true));
    this.#begun_us = world.kernel.now_us;
    return done();
  }

  /** By the files on their disks. */
  held(isAsked: (id: number) => boolean): Held {
    const lineage = (id: number) => (isAsked(id) ? this.node(id).state.synced.lineage : undefined);
    return { node1: lineage(0), node2: lineage(1) };
  }

  /** By the list of any etcd that runs; learners too. */
  memberIds(): MemberIds {
    const found = this.world.etcd.flatMap(({ running }) => running?.applier.membership ?? []).at(0);
    const idOf = (machine: number) =>
      [...(found?.voters ?? []), ...(found?.learners ?? [])]
        .find((id) => found?.machines[id] === machine)
        ?.toString();
    return { node1: idOf(0), node2: idOf(1) };
  }

  /** What is moved aside from here on is what the story is about. */
  noteAside(): void {
    this.asideBefore = this.world.etcd.map(({ aside }) => aside.length);
  }

  /** An ordinary shutdown; the BMC knows that it was meant. */
  press(id: number, then?: () => void): void {
    this.world.machine(id).shutdown(() => {
      this.world.bmc(id).remember(false);
      then?.();
    });
  }

  /** A step that does something: with writes in flight, and from here on everybody looks. */
  async deed(work: () => void): Promise<Seen> {
    if (this.inMoment) {
      this.load.burst();
      work();
      return done();
    }
    if (this.load.running) {
      this.load.burst();
      await this.run(in_flight_us);
    }
    this.since_us = this.world.kernel.now_us;
    this.failuresBefore = this.load.failures;
    this.errorsBefore = [...this.load.errors];
    work();
    return this.verdict(done());
  }

  async run(for_us: number): Promise<void> {
    if (this.inMoment) throw new Error("bug: time stands still in a moment");
    await this.world.kernel.run(this.world.kernel.now_us + for_us);
  }

  /** Time goes on until it is so, or the bound is reached. */
  async until(within_ms: number, otherwise: string, look: () => boolean, every_us = slice_us): Promise<Seen> {
    const { kernel } = this.world;
    const end_us = kernel.now_us + within_ms * 1000;
    while (!this.#broken()) {
      if (look()) return this.verdict(done());
      if (kernel.now_us >= end_us)
        return { ok: false, seen: `${otherwise} after ${within_ms / 1000} s; ${this.standing()}` };
      await this.run(Math.min(every_us, end_us - kernel.now_us));
    }
    return this.verdict(done());
  }

  #broken(): boolean {
    return this.world.kernel.violation !== undefined || this.trouble !== undefined;
  }

  /** Whatever a step saw, a broken promise is what has to be told. */
  verdict(seen: Seen): Seen {
    const { violation } = this.world.kernel;
    if (violation !== undefined) return { ok: false, seen: `${violation.check}: ${violation.what}` };
    if (this.trouble !== undefined) return { ok: false, seen: this.trouble };
    return seen;
  }

  /** `node1 is on and says: …`. */
  standing(): string {
    return this.world.machines
      .map(({ id, powered, hung }) => {
        const power = hung ? "hangs" : powered ? "is on" : "is off";
        const { name, said } = this.node(id);
        return `${name} ${power}${powered && said !== "" ? ` and says: ${said}` : ""}`;
      })
      .join("; ");
  }
}
