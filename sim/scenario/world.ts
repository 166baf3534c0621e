import type { Header, Scenario } from "../../src/scenario/scenario.ts";
import { type MachineName, machine_names } from "../../src/scenario/slots.ts";
import type { Doing, ScenarioWorld } from "../../src/scenario/world.ts";
import type { Plant } from "../plants.ts";
import { adminWords } from "./admin.ts";
import { endsCalm } from "./calm.ts";
import { Moments } from "./moments.ts";
import { powerDeeds } from "./power.ts";
import { sights } from "./sights.ts";
import { SimStage } from "./stage.ts";
import { insideFaults, outsideFaults, silent } from "./trouble.ts";

/** One seed for all: the same text, the same run. */
export const seed_default = 1;
const race_ms_max = 180_000;

export interface SimWorld extends ScenarioWorld {
  readonly stage: SimStage;
}

export interface SimWorldOptions {
  readonly header: Pick<Header, "pdu" | "bmc" | "fencing">;
  readonly seed?: number;
  /** Keep what happened, for a timeline. */
  readonly trace?: boolean;
  /** A mistake in what decides, for a test that a story would notice it. */
  readonly plant?: Plant;
}

/** Scenarios on two simulated machines, in virtual time. Nothing runs before the first step. */
export function simWorld({ header, seed = seed_default, trace = false, plant }: SimWorldOptions): SimWorld {
  const stage = new SimStage(header, seed, { trace, ...(plant === undefined ? {} : { plant }) });
  const moments = new Moments(stage);
  const does: Doing = {
    ...powerDeeds(stage),
    ...outsideFaults(stage),
    ...insideFaults(stage),
    ...adminWords(stage),
    ...sights(stage),
  };
  return {
    name: "sim",
    time: "virtual",
    now_ms: () => stage.now_ms,
    does,
    roles: {
      "the leader": async () => leaderOf(stage),
      "the follower": async () => followerOf(stage),
      "the survivor": () => survivorOf(stage),
    },
    arm: moments.arm,
    unmet: moments.unmet,
    end: (scenario) => endsCalm(stage, scenario),
    lacks,
    stage,
  };
}

const nameOf = (id: number): MachineName => machine_names[id === 0 ? 0 : 1];

function leaderOf({ world }: SimStage): MachineName | undefined {
  for (const { running } of world.etcd) {
    const machine = running?.applier.membership.machines[running.raft.lead];
    if (machine !== undefined) return nameOf(machine);
  }
  return undefined;
}

function followerOf(stage: SimStage): MachineName | undefined {
  const leader = leaderOf(stage);
  if (leader === undefined) return undefined;
  return leader === "node1" ? "node2" : "node1";
}

/** The one that is left when a race is over. */
async function survivorOf(stage: SimStage): Promise<MachineName | undefined> {
  const on = () => stage.world.machines.filter(({ powered }) => powered);
  const settled = await stage.until(race_ms_max, "no winner", () => on().length === 1);
  const [left] = on();
  return settled.ok && left !== undefined ? nameOf(left.id) : undefined;
}

const units_here: readonly string[] = ["etcd", "corosync", "pacemaker"];
/** Steps that let time go on, which it does not in a moment. */
const lasting: readonly string[] = [
  "start-both",
  "start-one",
  "flicker",
  "flap-wire",
  "reboot",
  "shut-down",
  "shut-down-both",
  "standby",
  "bring-online",
  "wait",
];

const settledLater: readonly string[] = ["the survivor", "the peer"];

function lacks({ header, steps }: Scenario): readonly string[] {
  const beyond = [
    ...(header.kubernetes ? ["the machines have no Kubernetes"] : []),
    ...(header.escalate ? ["every stop succeeds, so none escalates"] : []),
  ];
  const inSteps = steps.flatMap(({ ask, at, text }) => {
    if (at !== undefined && lasting.includes(ask.kind)) return [`no time passes in a moment: \`${text}\``];
    if (at !== undefined && "machine" in ask && settledLater.includes(ask.machine))
      return [`it shows only later who is ${ask.machine}: \`${text}\``];
    if (ask.kind === "kill-unit" && ask.unit !== "etcd")
      return [`only etcd can be killed alone: \`${text}\``];
    if ("unit" in ask && !units_here.includes(ask.unit))
      return [`the machines run no ${ask.unit}: \`${text}\``];
    if (ask.kind === "pdu-fault" && !silent.includes(ask.fault))
      return [`the PDU is there or it is not: \`${text}\``];
    return [];
  });
  return [...beyond, ...inSteps];
}
