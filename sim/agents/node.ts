import type { State } from "../../src/act/effects.ts";
import { nothing_remembered, type Remembered, remember } from "../../src/act/picture.ts";
import { type Times, times_default } from "../../src/act/times.ts";
import { decide, type Verdict } from "../../src/decide/decide.ts";
import { empty, type Facts } from "../../src/decide/facts.ts";
import type { TableName } from "../../src/decide/rules.ts";
import type { Cell } from "../disk.ts";
import type { Life } from "../kernel/life.ts";
import { traceKind } from "../kernel/trace.ts";
import type { World } from "../world.ts";
import { membershipOf, saidByPeer } from "./facts.ts";
import type { Site } from "./site.ts";

const ruleLine = traceKind("duet.rule", (machine, rule, sentence) => `${machine}: ${rule}: ${sentence}`);
const stepLine = traceKind("duet.step", (machine, step) => `${machine}: ${step}`);

/** What duet on one machine keeps in memory, or under /run: gone with the boot. */
interface Memory {
  remembered: Remembered;
  /** When this machine last went on after it had hung. */
  resumed_us: number;
  force: boolean;
  /** Pacemaker has started the resource, and promoted it. */
  started: boolean;
  promoted: boolean;
  leaving: boolean;
  failedStarts: number;
  /** A machine of steps is at work: there is never a second one. */
  busy: boolean;
  worker: Life | undefined;
  again: boolean;
  /** What is published is published once more, changed or not. */
  publish: boolean;
}

const nothing = (): Memory => ({
  remembered: nothing_remembered,
  resumed_us: -1e12,
  force: false,
  started: false,
  promoted: false,
  leaving: false,
  failedStarts: 0,
  busy: false,
  worker: undefined,
  again: false,
  publish: false,
});

const noState: State = {
  lineage: empty.lineage,
  full: empty.full,
  takeover: empty.takeover,
  left: empty.left,
  surrendered: empty.surrendered,
  settled: empty.settled,
};

/** Duet on one simulated machine: its file, its memory, and the rules it goes by. */
export class Node {
  readonly world: World;
  readonly site: Site;
  readonly id: number;
  readonly state: Cell<State>;
  readonly times: Times;
  memory = nothing();
  /** What it waits for, by its last decision. */
  said = "";

  constructor(world: World, site: Site, id: number) {
    this.world = world;
    this.site = site;
    this.id = id;
    this.state = world.machine(id).disk.cell(noState);
    this.times = {
      ...times_default,
      tries_max: 20,
      fence_delay_ms: (site.fence_delay_us[1 - id] ?? 0) / 1000,
    };
    const note = () => {
      this.memory.remembered = remember(this.memory.remembered, membershipOf(this), saidByPeer(this));
    };
    world.corosync.onView(id, note);
    world.attributes.onChange(id, note);
    world.machine(id).tenants.push({
      dead: () => {
        this.memory = nothing();
      },
      resumed: () => {
        this.memory.resumed_us = world.kernel.now_us;
      },
    });
  }

  get peer(): number {
    return 1 - this.id;
  }

  get name(): string {
    return nameOf(this.id);
  }

  decide(question: TableName, facts: Facts): Verdict {
    const verdict = decide(question, facts, this.site.plant.tables);
    for (const rule of verdict.path) this.site.fired.set(rule, (this.site.fired.get(rule) ?? 0) + 1);
    if (verdict.sentence !== this.said)
      this.world.kernel.note(ruleLine, this.name, verdict.rule, verdict.sentence);
    this.said = verdict.sentence;
    return verdict;
  }

  step(name: string): void {
    this.world.kernel.note(stepLine, this.name, name);
  }
}

export const nameOf = (machine: number): string => (machine === 0 ? "node1" : "node2");
