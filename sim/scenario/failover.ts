import { bmc_default } from "../../src/scenario/header.ts";
import { nothingLost, untilServes } from "./sights.ts";
import { SimStage } from "./stage.ts";
import { isWhole } from "./whole.ts";

const calm_ms = 10_000;
const bound_ms = 300_000;
const sample_us = 1_000_000;

/** One thing that happened. Times are virtual, from the moment in which both machines were switched on. */
export interface Phase {
  readonly name: string;
  readonly text: string;
  readonly at_ms: number;
}

/** What a machine was at the end of each second. */
export type Was = "off" | "boots" | "up" | "learner" | "voter";

export interface Failover {
  readonly seed: number;
  readonly leader: string;
  readonly survivor: string;
  /** When the leader lost its power. */
  readonly lost_ms: number;
  readonly phases: readonly Phase[];
  readonly seconds: readonly { readonly machines: readonly [Was, Was]; readonly writes: number }[];
  readonly acknowledged: number;
  /** Writes that nobody answered: each may have happened or not, and nobody was told that it did. */
  readonly unanswered: number;
  readonly gap_ms: number;
  /** Undefined: all went as it should. */
  readonly broken: string | undefined;
}

interface Mark {
  readonly name: string;
  readonly text: string;
  readonly when: () => boolean;
}

/** Two machines come to 1+1, clients write, the leader's power is cut, and duet does the rest. */
export async function failover(seed: number): Promise<Failover> {
  const stage = new SimStage({ pdu: false, bmc: bmc_default, fencing: "fence_duet" }, seed, { trace: false });
  const { world, load } = stage;
  const phases: Phase[] = [];
  const broken: string[] = [];
  const want = async (step: Promise<{ readonly ok: boolean; readonly seen: string }>) => {
    const { ok, seen } = await step;
    if (!ok) broken.push(seen);
  };
  await want(stage.setUp());
  const seconds = sampled(stage);
  for (const machine of world.machines) machine.powerOn();
  watch(stage, phases, beginning(stage));
  await want(stage.until(bound_ms, "no 1+1", () => isWhole(world, stage.site)));
  load.start();
  await stage.run(calm_ms * 1000);
  const lost = world.unit(0).running?.raft.role === "leader" ? 0 : 1;
  await want(stage.deed(() => world.cutPower(lost)));
  const lost_ms = stage.now_ms;
  watch(stage, phases, afterLoss(stage, lost));
  await want(untilServes(stage, 1 - lost, bound_ms));
  await want(stage.until(bound_ms, "no 1+1", () => isWhole(world, stage.site)));
  await stage.run((calm_ms / 2) * 1000);
  load.stop();
  await want(nothingLost(stage));
  const { history } = world;
  return {
    seed,
    leader: stage.node(lost).name,
    survivor: stage.node(1 - lost).name,
    lost_ms,
    phases,
    seconds,
    acknowledged: history.acknowledged,
    unanswered: history.operations.filter(
      ({ id, kind, state }) => kind === "write" && state === "open" && load.own.has(id),
    ).length,
    gap_ms: Math.round(load.gap_us() / 1000),
    broken: broken[0],
  };
}

/** Each mark is noted in the event that brings it, and after the marks before it. */
function watch(stage: SimStage, phases: Phase[], marks: readonly Mark[]): void {
  const left = [...marks];
  const look = () => {
    for (let [next] = left; next?.when() === true; [next] = left) {
      left.shift();
      phases.push({ name: next.name, text: next.text, at_ms: stage.now_ms });
    }
  };
  look();
  stage.world.kernel.afterEvent.push(look);
}

const joined = ({ world }: SimStage): boolean =>
  world.machines.every(({ id }) => world.corosync.view(id).members.length === 2);

function beginning(stage: SimStage): readonly Mark[] {
  const { world, site } = stage;
  return [
    {
      name: "power",
      text: "both machines are switched on",
      when: () => world.machines.every(({ powered }) => powered),
    },
    { name: "joined", text: "they have booted and hear each other", when: () => joined(stage) },
    {
      name: "1+1",
      text: "1+1: etcd votes on both, and each holds everything",
      when: () => isWhole(world, site),
    },
  ];
}

function afterLoss(stage: SimStage, lost: number): readonly Mark[] {
  const { world, site, load } = stage;
  const [gone, left] = [stage.node(lost), stage.node(1 - lost)];
  const steps = new Set<string>();
  site.stepped.push((machine, step) => steps.add(`${machine} ${step}`));
  const did = (machine: number, step: string) => () => steps.has(`${machine} ${step}`);
  const before = load.acknowledged_us.length;
  const members = () => world.unit(lost).running?.applier.membership;
  const own = () => world.unit(lost).running?.id ?? 0;
  return [
    { name: "lost", text: `${gone.name}, the leader, loses its power`, when: () => true },
    {
      name: "detected",
      text: `${left.name} no longer hears ${gone.name}`,
      when: () => !world.corosync.view(left.id).members.includes(lost),
    },
    {
      name: "fence asked",
      text: `Pacemaker on ${left.name} asks for a fence: is ${gone.name} really off?`,
      when: () => stage.fencesAsked.length > 0,
    },
    {
      name: "off confirmed",
      text: `${gone.name}'s BMC was told Off, and reads Off: it can't serve any more`,
      when: () => stage.fencesConfirmed.length > 0,
    },
    {
      name: "takeover",
      text: `${left.name} holds all that was acknowledged, and takes over`,
      when: did(left.id, "write the intent"),
    },
    {
      name: "tagged",
      text: "the claim stands on both BMCs, for whoever boots later",
      when: did(left.id, "write that it may have served"),
    },
    {
      name: "first write",
      text: `${left.name} serves alone: the first write is acknowledged`,
      when: () => load.acknowledged_us.length > before,
    },
    {
      name: "peer on",
      text: `${left.name} has ${gone.name} powered on again`,
      when: () => world.machine(lost).powered,
    },
    {
      name: "peer back",
      text: `${gone.name} has booted, and they hear each other`,
      when: () => joined(stage),
    },
    {
      name: "learner",
      text: `${gone.name} moved its old data aside, and follows as a learner`,
      when: () => members()?.learners.includes(own()) === true,
    },
    {
      name: "caught up",
      text: `${gone.name} has caught up, and votes again`,
      when: () => members()?.voters.includes(own()) === true,
    },
    {
      name: "full",
      text: `a write behind all others came back: ${gone.name} holds everything (it is full)`,
      when: () => gone.state.value.full,
    },
    { name: "1+1 again", text: "1+1: either may die again", when: () => isWhole(world, site) },
  ];
}

function sampled(stage: SimStage): Failover["seconds"] {
  const found: Failover["seconds"][number][] = [];
  const { kernel } = stage.world;
  let writes = stage.load.acknowledged_us.length;
  const sample = () => {
    const all = stage.load.acknowledged_us.length;
    found.push({ machines: [wasOf(stage, 0), wasOf(stage, 1)], writes: all - writes });
    writes = all;
    kernel.after(sample_us, sample);
  };
  kernel.after(sample_us, sample);
  return found;
}

function wasOf({ world }: SimStage, id: number): Was {
  const { powered, up } = world.machine(id);
  if (!powered) return "off";
  if (!up) return "boots";
  const { running } = world.unit(id);
  if (running?.applier.membership.voters.includes(running.id) === true) return "voter";
  return running === undefined ? "up" : "learner";
}
