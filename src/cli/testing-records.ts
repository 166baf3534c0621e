import type { Effects } from "../act/effects.ts";
import { firstLine } from "../record/encode.ts";
import { memoryInProcess, type MemoryStore } from "../record/memory.ts";
import { Recorder } from "../record/recorder.ts";
import { wrap } from "../record/wrap.ts";
import { bmc_default } from "../scenario/header.ts";
import type { Node } from "../../sim/agents/node.ts";
import { noPlant, type Plant } from "../../sim/plants.ts";
import { SimStage } from "../../sim/scenario/stage.ts";
import { isWhole } from "../../sim/scenario/whole.ts";

const epoch_ms = Date.UTC(2026, 0, 1);
/** How far node2's wall clock is ahead. */
export const skew_ms = 37_000;

const fenceSteps =
  /^(wait for this machine's turn|command the peer's Off|read that the peer|note that Off|see that the peer is lost)/;

interface Machine {
  readonly lines: string[];
  /** When each line was written, in the world's own time: no machine knows it. */
  readonly truth_ms: number[];
  readonly memory: MemoryStore;
  boot: number;
  boot_us: number;
}

/** For tests: flight recorders on the simulator's machines. Each set of effects is a process of its own, as on a machine. */
export class SimRecords {
  readonly machines: readonly [Machine, Machine] = [newMachine(), newMachine()];
  readonly #current: (Recorder | undefined)[] = [];
  readonly #fences: (Recorder | undefined)[] = [];
  #pids = 0;

  /** No mistake at all: only a recorder beside the effects. */
  readonly plant: Plant = {
    ...noPlant,
    effects: (effects, { node }) => this.#recorded(effects, node),
  };

  /** A step that somebody is about to do: a fence's own, or of the process that was last at work there. */
  readonly stepped = (machine: number, step: string): void => {
    const fence = fenceSteps.test(step) ? this.#fences[machine] : undefined;
    (fence ?? this.#current[machine])?.step(step);
  };

  fenced(machine: number, ok: boolean): void {
    this.#fences[machine]?.stepsEnd(ok ? { done: true } : { done: false, why: "the fence failed" });
    this.#fences[machine] = undefined;
  }

  text(machine: 0 | 1): string {
    return firstLine(`node${machine + 1}`) + this.machines[machine].lines.join("");
  }

  #recorded(effects: Effects, node: Node): Effects {
    const recorder = this.#recorder(node);
    const inner = wrap(effects, recorder);
    const atWork = () => {
      this.#current[node.id] = recorder;
    };
    return {
      ...inner,
      facts: async () => {
        const facts = await inner.facts();
        atWork();
        return facts;
      },
      decide: (question, facts) => {
        if (question !== "fence") atWork();
        else {
          this.#fences[node.id] = recorder;
          recorder.event("fence asked");
        }
        return inner.decide(question, facts);
      },
      attributes: {
        ...inner.attributes,
        // The last that a look does.
        score: (score, deadline_ms) => {
          recorder.stepsEnd();
          return inner.attributes.score(score, deadline_ms);
        },
      },
    };
  }

  #recorder(node: Node): Recorder {
    const { kernel } = node.world;
    const machine = this.machines[node.id === 0 ? 0 : 1];
    const { boot } = node.world.machine(node.id);
    if (machine.boot !== boot) {
      machine.boot = boot;
      machine.boot_us = kernel.now_us;
    }
    const pid = ++this.#pids;
    const { boot_us } = machine;
    const sink = {
      append: (line: string) => {
        machine.lines.push(line);
        machine.truth_ms.push(kernel.now_us / 1000);
      },
    };
    const clock = () => ({
      at: new Date(epoch_ms + kernel.now_us / 1000 + (node.id === 0 ? 0 : skew_ms)).toISOString(),
      mono_ms: (kernel.now_us - boot_us) / 1000 + 1_000,
      boot: `${node.name}-boot-${boot}`,
      machine: node.name,
      duet: "0.0.1",
      by: "agent",
      pid,
    });
    return new Recorder(sink, clock, machine.memory);
  }
}

const newMachine = (): Machine => ({
  lines: [],
  truth_ms: [],
  memory: memoryInProcess(),
  boot: 0,
  boot_us: 0,
});

/** How a machine is lost. With the wire cut the one whose turn is first wins, which is node1. */
export type Loss = "cut" | "hang" | "wire";

/** 1+1, one machine is lost, the other takes over, and 1+1 again. */
export async function recordedFailover(seed: number, lost: 0 | 1, how: Loss = "cut", trace = false) {
  const records = new SimRecords();
  const stage = new SimStage({ pdu: false, bmc: bmc_default, fencing: "fence_duet" }, seed, { trace });
  const { world, site, load } = stage;
  const lose = {
    cut: () => world.cutPower(lost),
    hang: () => world.machine(lost).hang(),
    wire: () => world.links.forEach((link) => link.cutBoth(0, 1)),
  };
  Object.assign(site, { plant: records.plant });
  site.stepped.push(records.stepped);
  world.pacemaker.onFenced.push((_, target, ok) => records.fenced(1 - target, ok));
  const want = async (step: Promise<{ readonly ok: boolean; readonly seen: string }>) => {
    const { ok, seen } = await step;
    if (!ok) throw new Error(seen);
  };
  await want(stage.setUp());
  for (const machine of world.machines) machine.powerOn();
  await want(stage.until(300_000, "no 1+1", () => isWhole(world, site)));
  load.start();
  await stage.run(10_000_000);
  const lost_ms = world.kernel.now_us / 1000;
  await want(stage.deed(lose[how]));
  await want(stage.until(300_000, "it is not taken for lost", () => !isWhole(world, site)));
  if (how === "wire") {
    const returned = () =>
      world.machine(lost).boot > records.machines[lost].boot && world.machine(lost).powered;
    await want(stage.until(300_000, "it is not powered on again", returned));
    await stage.run(15_000_000);
    await want(stage.deed(() => world.links.forEach((link) => link.healBoth(0, 1))));
  }
  await want(stage.until(300_000, "no 1+1", () => isWhole(world, site)));
  await stage.run(30_000_000);
  return { records, lost_ms, trace: world.kernel.trace };
}
