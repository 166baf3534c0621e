import {
  type Choice,
  type Facts,
  type Holding,
  type Lineage,
  no_word,
  nothing_settled,
  type Offer,
  type Settled,
  type Standing,
  type Takeover,
  type Word,
} from "../facts.ts";
import { isFullVoter } from "../lineage.ts";

/**
 * A small world for the rules to be tried in: every history of two machines, with all that does not matter to them left out.
 * docs/decisions/histories.md tells what it found.
 */
export const names = ["a", "b"] as const;
export type Id = 0 | 1;
export const other = (id: Id): Id => (id === 0 ? 1 : 0);

/** What the log says, as far as the rules ask. */
export type Log = "none" | "sole" | "pair" | "learner" | "removed" | "corrupt";

/** Kept over a power cut. */
export interface Disk {
  readonly log: Log;
  readonly lineage: Lineage | undefined;
  readonly full: boolean;
  readonly takeover: Takeover | undefined;
  readonly surrendered: number;
  readonly settled: Settled;
  /** The ghost: it holds every write that was ever acknowledged, but for what an admin gave up. No rule may look at it. */
  readonly complete: boolean;
  /** A ghost, too: it was given up, and an admin chose it, for which the other one was given up. He can choose it again. */
  readonly chosen: boolean;
}

/** Gone with the power. */
export interface Life {
  /** `sole`: serves alone. `pair`: a voter that needs its peer. `learner`: follows. By what is applied, not by the log. */
  readonly etcd: "down" | "sole" | "pair" | "learner";
  /** What the peer published last in this boot; kept up while the two are linked. */
  readonly heard: Holding | undefined;
  /** `word`: the admin's. */
  readonly proof: "none" | "off" | "word";
  /** The takeover that runs: its epoch, and whether its tag is written. */
  readonly run: { readonly epoch: number; readonly tagged: boolean } | undefined;
  readonly leaving: boolean;
}

export interface Machine {
  readonly on: boolean;
  readonly disk: Disk;
  readonly life: Life;
}

export interface World {
  readonly machines: readonly [Machine, Machine];
  readonly wire: boolean;
  readonly tags: readonly [Lineage | undefined, Lineage | undefined];
  /** Until the two lose each other. */
  readonly choice: Chosen | undefined;
  /** How many more of the rare events may happen. */
  readonly left: Budget;
}

/** What an admin chose, and was shown, by machine. */
export interface Chosen {
  readonly whose: Id;
  readonly shown: readonly [Offer, Offer];
  readonly tags: World["tags"];
  /** The ghost: nothing has been done since but what he asked for. Only then may it cost what the other one holds. */
  readonly isOpen: boolean;
}

export interface Budget {
  /** A BMC forgets its tag. */
  readonly forget: number;
  /** A disk is replaced or its log corrupted. */
  readonly disk: number;
  /** An admin accepts a loss. */
  readonly accept: number;
  /** An admin chooses between the two data. */
  readonly choose: number;
}

export const asleep: Life = { etcd: "down", heard: undefined, proof: "none", run: undefined, leaving: false };
export const blank: Disk = {
  log: "none",
  lineage: undefined,
  full: false,
  takeover: undefined,
  surrendered: 0,
  settled: nothing_settled,
  complete: false,
  chosen: false,
};

/** A voter's data that was not given up, or for which the other's was. */
export const isUsable = ({ log, surrendered, chosen }: Disk): boolean =>
  (log === "sole" || log === "pair") && (surrendered === 0 || chosen);

/** Right after the first start: `a` made the cluster and serves, `b` is new, setup wrote both tags. */
export function firstWorld(left: Budget): World {
  const first: Lineage = { epoch: 1, owner: names[0] };
  return {
    machines: [
      {
        on: true,
        disk: { ...blank, log: "sole", lineage: first, full: true, complete: true },
        life: { ...asleep, etcd: "sole" },
      },
      { on: false, disk: blank, life: asleep },
    ],
    wire: true,
    tags: [first, first],
    choice: undefined,
    left,
  };
}

/** Both up, and Corosync has formed a membership of both. */
export const linked = ({ machines, wire }: World): boolean => wire && machines[0].on && machines[1].on;

/** Does this machine's etcd acknowledge writes? Two voters do so only together. */
export function serves(world: World, id: Id): boolean {
  const mine = world.machines[id];
  const { life, disk } = world.machines[other(id)];
  if (!mine.on) return false;
  if (mine.life.etcd === "sole") return true;
  return (
    mine.life.etcd === "pair" &&
    linked(world) &&
    (life.etcd === "pair" || life.etcd === "learner") &&
    sameLineage(mine.disk.lineage, disk.lineage)
  );
}

export const sameLineage = (one: Lineage | undefined, two: Lineage | undefined): boolean =>
  one !== undefined && one.epoch === two?.epoch && one.owner === two.owner;

const standings: Readonly<Record<Log, Standing>> = {
  none: "none",
  sole: "voter",
  pair: "voter",
  learner: "learner",
  removed: "removed",
  corrupt: "unknown",
};

export const holdingOf = ({ disk }: Machine): Holding => ({
  data: disk.log !== "none",
  standing: standings[disk.log],
  soleVoter: disk.log === "sole",
  removalInLog: disk.log === "removed",
  tailLost: false,
  lineage: disk.lineage,
  full: disk.full,
  takeover: disk.takeover,
  left: false,
  surrendered: disk.surrendered === 0 ? undefined : disk.surrendered,
  settled: disk.settled,
  others: "",
  echo: "",
});

/** What a machine can find out: which BMCs answer is up to chance. */
export interface Reading {
  readonly mine: boolean;
  readonly theirs: boolean;
  readonly power: boolean;
}
export const readings: readonly Reading[] = [true, false].flatMap((mine) =>
  [true, false].flatMap((theirs) => [true, false].map((power) => ({ mine, theirs, power }))),
);

export function factsOf(
  world: World,
  id: Id,
  reading: Reading,
  word: Word = no_word,
  failedStarts = 0,
): Facts {
  const mine = world.machines[id];
  const peer = world.machines[other(id)];
  const { life } = mine;
  const together = linked(world);
  const { choice } = world;
  const choose: Choice | undefined =
    choice === undefined
      ? word.choose
      : {
          of: choice.whose === id ? "self" : "peer",
          mine: choice.shown[id],
          theirs: choice.shown[other(id)],
          tags: choice.tags.filter((shown) => shown !== undefined),
        };
  const tag = (bmc: Id, readable: boolean) => {
    const found = world.tags[bmc];
    if (!readable) return { kind: "unreadable" } as const;
    return found === undefined ? ({ kind: "blank" } as const) : ({ kind: "lineage", ...found } as const);
  };
  return {
    me: names[id],
    peerName: names[other(id)],
    self: holdingOf(mine),
    peer: together
      ? {
          seen: "now",
          facts: holdingOf(peer),
          serving: peer.life.etcd === "sole",
          running: peer.life.etcd !== "down",
          stuck: false,
          leaving: peer.life.leaving,
        }
      : life.heard === undefined
        ? { seen: "never" }
        : { seen: "before", facts: life.heard },
    peerPower: reading.power ? (peer.on ? "on" : "off") : "unreadable",
    proof: life.proof === "off" ? "off" : "none",
    // A goodbye is as good as a fence here: either way the next move may be to switch it off.
    fencePending: true,
    started: true,
    word: { ...word, choose, peerDown: word.peerDown || (life.proof === "word" && !together) },
    tags: { mine: tag(id, reading.mine), theirs: tag(other(id), reading.theirs) },
    witness: "on",
    firstStart: false,
    etcd: { running: life.etcd !== "down", leader: serves(world, id), failedStarts },
    stopping: "shutdown",
  };
}

/**
 * The same world gives the same key, and so does the world with the two machines exchanged: the rules know no first machine,
 * unless a loss was or can be accepted. Of what was heard only that is in it which a rule asks for.
 */
export function keyOf(world: World): string {
  const one = keyFrom(world, 0);
  if (world.left.accept > 0 || world.left.choose > 0 || afterLoss.test(one)) return one;
  const two = keyFrom(world, 1);
  return one < two ? one : two;
}
/** Only the epochs after an accepted loss have seven digits. */
const afterLoss = /\d{7}/;

function keyFrom({ machines, wire, tags, left, choice }: World, first: Id): string {
  const second = other(first);
  const owner = names[first];
  const lineage = (of: Lineage | undefined): string =>
    of === undefined ? "-" : `${of.epoch}${of.owner === owner ? "x" : "y"}`;
  const [one, two] = [machineKey(machines[first], lineage), machineKey(machines[second], lineage)];
  return `${one}|${two}|${wire ? 1 : 0}${lineage(tags[first])}${lineage(tags[second])}${left.forget}${left.disk}${left.accept}${left.choose}${choiceKey(choice, first, lineage)}`;
}

function choiceKey(
  choice: Chosen | undefined,
  first: Id,
  lineage: (of: Lineage | undefined) => string,
): string {
  if (choice === undefined) return "";
  const shown = ([first, other(first)] as const).map(
    (id) => `${lineage(choice.shown[id].lineage)}${choice.shown[id].surrendered ?? 0}`,
  );
  return `c${choice.whose === first ? "x" : "y"}${shown.join("/")}${lineage(choice.tags[first])}${lineage(choice.tags[other(first)])}${choice.isOpen ? 1 : 0}`;
}

const settledKey = ({ mine, theirs }: Settled): string => `${mine}/${theirs}`;
const takeoverKey = (takeover: Takeover | undefined): string =>
  takeover === undefined ? "-" : `${takeover.step[0]}${takeover.epoch}`;

function machineKey({ on, disk, life }: Machine, lineage: (of: Lineage | undefined) => string): string {
  const kept = `${disk.log}${lineage(disk.lineage)}${disk.full ? 1 : 0}${disk.complete ? 1 : 0}${disk.chosen ? "c" : ""}${takeoverKey(disk.takeover)}${disk.surrendered}${settledKey(disk.settled)}`;
  if (!on) return kept;
  const { heard, run } = life;
  const known =
    heard === undefined
      ? "-"
      : `${isFullVoter(heard) ? 1 : 0}${lineage(heard.lineage)}${takeoverKey(heard.takeover)}${heard.surrendered ?? 0}${settledKey(heard.settled)}`;
  const running = run === undefined ? "-" : `${run.epoch}${run.tagged ? "t" : ""}`;
  return `${kept},${life.etcd},${known},${life.proof},${running}${life.leaving ? "l" : ""}`;
}
