import { choiceNow, sidesOf } from "../choice.ts";
import { judge, type Judgement } from "../decide.ts";
import { no_word, type Word } from "../facts.ts";
import { acceptedEpoch, beginsAfterLoss, epochs_per_loss } from "../lineage.ts";
import type { Tables } from "../rules.ts";
import { isOver, type Move, paidByChoice, powerOff, withDisk, withLife, withTag } from "./chance.ts";
import {
  factsOf,
  type Id,
  linked,
  names,
  other,
  type Reading,
  readings,
  sameLineage,
  serves,
  type World,
} from "./world.ts";

/** Epochs beyond this are not followed: nothing new happens there. */
export interface Bounds {
  readonly epoch_max: number;
}

/** An accepted loss begins a new million; two epochs fewer are followed in it. */
const isTooFar = (epoch: number, { epoch_max }: Bounds): boolean =>
  epoch < epochs_per_loss
    ? epoch > epoch_max
    : epoch % epochs_per_loss > epoch_max - 2 || epoch >= 4 * epochs_per_loss;

export interface Told {
  readonly verdict: Judgement;
  readonly reading: Reading;
  readonly word: Word;
}

export type Both = readonly [readonly Told[], readonly Told[]];

/** What the rules tell a machine to do now, for everything that its BMCs may answer, with no word of an admin's. */
export function toldOf(world: World, id: Id, tables: Tables): readonly Told[] {
  if (!world.machines[id].on) return [];
  const seen = linked(world) ? readings.filter(({ power }) => power) : readings;
  return seen.map((reading) => ({
    verdict: judge("start", factsOf(world, id, reading), tables),
    reading,
    word: no_word,
  }));
}

const truthful: Word = { peerDown: true, accept: undefined, choose: undefined };

/** With the word of an admin who went and looked: only where the peer is off. */
function toldByWord(world: World, id: Id, tables: Tables): readonly Told[] {
  if (world.machines[other(id)].on) return [];
  const bare = [truthful, ...(world.left.accept > 0 ? [{ ...truthful, accept: "unknown" } as const] : [])];
  const { left, machines } = world;
  const words =
    left.choose === 0 || machines[id].disk.surrendered === 0
      ? bare
      : [...bare, ...bare.map((word) => takingBack(world, id, word))];
  return words.flatMap((word) =>
    readings
      .filter(({ power }) => power)
      .map((reading) => ({
        verdict: judge("start", factsOf(world, id, reading, word), tables),
        reading,
        word,
      })),
  );
}

/** What this machine gave up is chosen, with nobody there to ask. */
const takingBack = (world: World, id: Id, word: Word): Word => ({
  ...word,
  choose: choiceNow("self", sidesOf(factsOf(world, id, nothing_read))),
});
const nothing_read: Reading = { mine: false, theirs: false, power: false };

/** All that a machine may do next by the rules, one step of it. */
export function deeds(world: World, told: Both, tables: Tables, bounds: Bounds): readonly Move[] {
  const moves: Move[] = [];
  for (const id of [0, 1] as const) {
    if (!world.machines[id].on) continue;
    for (const each of [...told[id], ...toldByWord(world, id, tables)])
      moves.push(...obey(world, id, each, bounds));
    moves.push(...takeoverSteps(world, id), ...fences(world, id, tables), ...leaving(world, id, tables));
    moves.push(...failing(world, id, tables));
  }
  return moves;
}

function obey(world: World, id: Id, { verdict, reading, word }: Told, bounds: Bounds): readonly Move[] {
  const { decision, decider } = verdict;
  const { disk, life } = world.machines[id];
  const name = names[id];
  const move = (what: string, after: World): Move[] => [
    { label: `${name} ${what} [${decider.id}]`, world: after },
  ];
  switch (decision.do) {
    case "start-plain":
      if (life.etcd !== "down") return [];
      return startPlain(world, id, reading).flatMap((after) => move("starts as it is", after));
    case "take-over": {
      if (isTooFar(decision.epoch, bounds) || life.run !== undefined) return [];
      const accepted = word.accept !== undefined;
      // What only the peer has may be lost from here on: either copy is right, until one of them serves.
      const chosen = world.choice?.whose === id ? paidByChoice(world) : world;
      const paid = accepted
        ? withDisk({ ...world, left: { ...world.left, accept: world.left.accept - 1 } }, id, {
            complete: true,
          })
        : chosen;
      const after = withLife(
        withDisk(paid, id, { takeover: { step: "intent", epoch: decision.epoch } }),
        id,
        {
          run: { epoch: decision.epoch, tagged: false },
          ...(word.peerDown ? { proof: "word" } : {}),
        },
      );
      return move(`means to take over as epoch ${decision.epoch}`, after);
    }
    case "resume-takeover":
      if (life.run !== undefined) return [];
      return move(
        "goes on with its takeover",
        withLife(world, id, { run: { epoch: decision.epoch, tagged: true } }),
      );
    case "join-as-learner":
      return join(world, id).flatMap((after) =>
        move(disk.log === "none" ? "joins" : "moves its data aside", isOver(after)),
      );
    case "follow-as-learner":
      return life.etcd === "down" ? move("follows", withLife(world, id, { etcd: "learner" })) : [];
    case "surrender":
      return move("gives its data up", givesUp(world, id, decision.epoch));
    case "abandon":
      return move(
        "gives its intent up",
        withLife(withDisk(world, id, { takeover: { step: "abandoned", epoch: decision.epoch } }), id, {
          run: undefined,
        }),
      );
    case "settle":
      return move("settles the tags", withDisk(world, id, { settled: decision.settled }));
    case "prove-off":
      return move("commands Off and reads it", withLife(powerOff(world, other(id)), id, { proof: "off" }));
    case "serve-as-is":
    case "new-cluster":
    case "wait":
    case "needs-human":
    case "may-fence":
    case "refuse-fence":
    case "leave":
    case "stop":
    case "keep-tags":
    case "write-tags":
    case "stop-and-alarm":
    case "restart-in-place":
      return [];
  }
}

/** Who was chosen and gives up for another reason is another thing to choose between. */
function givesUp(world: World, id: Id, epoch: number): World {
  const { choice } = world;
  const paid = choice?.whose === id ? isOver(world) : paidByChoice(world);
  return withLife(withDisk(paid, id, { surrendered: epoch }), id, { etcd: "down", run: undefined });
}

/** A lone voter makes sure of its tag first, on at least one BMC that answers. */
function startPlain(world: World, id: Id, reading: Reading): readonly World[] {
  const { disk, life } = world.machines[id];
  if (disk.log !== "sole") return [withLife(world, id, { etcd: "pair" })];
  const lineage = disk.lineage;
  if (life.heard !== undefined || lineage === undefined) return [withLife(world, id, { etcd: "sole" })];
  return subsets(reading.mine, reading.theirs).map(([mine, theirs]) => {
    let tagged = world;
    for (const [write, bmc] of [[mine, id] as const, [theirs, other(id)] as const])
      if (write && (tagged.tags[bmc]?.epoch ?? 0) <= lineage.epoch) tagged = withTag(tagged, bmc, lineage);
    return withLife(tagged, id, { etcd: "sole" });
  });
}

function join(world: World, id: Id): readonly World[] {
  const { disk, life } = world.machines[id];
  const peer = world.machines[other(id)].disk;
  if (life.etcd !== "down") return [withLife(world, id, { etcd: "down" })];
  if (disk.log !== "none")
    return [withDisk(world, id, { log: "none", lineage: undefined, full: false, complete: false })];
  const spent = Math.max(disk.takeover?.epoch ?? 0, disk.settled.mine, peer.settled.theirs);
  const after = withDisk(world, id, {
    log: "learner",
    lineage: peer.lineage,
    full: false,
    surrendered: 0,
    chosen: false,
    takeover: spent === 0 ? undefined : { step: "abandoned", epoch: spent },
  });
  return [withLife(after, id, { etcd: "learner", run: undefined })];
}

const subsets = (mine: boolean, theirs: boolean): readonly (readonly [boolean, boolean])[] =>
  (
    [
      [true, true],
      [true, false],
      [false, true],
    ] as const
  ).filter(([a, b]) => (!a || mine) && (!b || theirs));

/** The steps after the intent, each on its own, so that anything can happen in between. */
function takeoverSteps(world: World, id: Id): readonly Move[] {
  const { disk, life } = world.machines[id];
  const { run } = life;
  const name = names[id];
  if (run === undefined) return [];
  const claim = { epoch: run.epoch, owner: name };
  const moves: Move[] = [];
  if (disk.takeover?.step === "intent" && !run.tagged)
    for (const pick of subsets(true, true)) {
      const bmcs = ([id, other(id)] as const).filter((_, at) => pick[at]);
      // Never lowered: where another claim came first, this takeover ends.
      if (bmcs.some((bmc) => (world.tags[bmc]?.epoch ?? 0) >= run.epoch)) continue;
      let tagged = withLife(world, id, { run: { ...run, tagged: true } });
      for (const bmc of bmcs) tagged = withTag(tagged, bmc, claim);
      moves.push({
        label: `${name} tags ${bmcs.map((bmc) => `the BMC of ${names[bmc]}`).join(" and ")}`,
        world: tagged,
      });
    }
  const proven = life.proof !== "none" || life.heard?.surrendered !== undefined;
  if (disk.takeover?.step === "intent" && disk.takeover.epoch === run.epoch && run.tagged && proven) {
    const after = withDisk(world, id, {
      takeover: { step: "served", epoch: run.epoch },
      lineage: claim,
      surrendered: 0,
      chosen: false,
      settled: { ...disk.settled, theirs: Math.max(disk.settled.theirs, acceptedAt(world, id, run.epoch)) },
    });
    moves.push({
      label: `${name} writes that it served`,
      world: withLife(isOver(after), id, { etcd: "down" }),
    });
  }
  if (disk.takeover?.step === "served" && life.etcd === "down")
    moves.push({
      label: `${name} starts alone by force`,
      world: withLife(withDisk(world, id, { log: "sole", full: true }), id, { etcd: "sole" }),
    });
  if (disk.takeover?.step === "served" && life.etcd === "sole")
    moves.push({
      label: `${name} is seen alone, the flag is gone`,
      world: withLife(withDisk(world, id, { takeover: undefined }), id, { run: undefined }),
    });
  return moves;
}

/** A takeover reads what it can before it writes; here it reads everything. */
function acceptedAt(world: World, id: Id, epoch: number): number {
  const [all] = readings;
  return all !== undefined && beginsAfterLoss(epoch) ? acceptedEpoch(factsOf(world, id, all)) : 0;
}

function fences(world: World, id: Id, tables: Tables): readonly Move[] {
  if (linked(world) || world.machines[id].life.proof === "off") return [];
  const may = readings.some(
    (reading) =>
      reading.power && judge("fence", factsOf(world, id, reading), tables).decision.do === "may-fence",
  );
  return may
    ? [
        {
          label: `${names[id]} fences ${names[other(id)]}`,
          world: withLife(powerOff(world, other(id)), id, { proof: "off" }),
          ...(world.machines[id].disk.complete
            ? {}
            : { wrong: `${names[id]} may fence without all that was acknowledged` }),
        },
      ]
    : [];
}

function leaving(world: World, id: Id, tables: Tables): readonly Move[] {
  const { disk, life } = world.machines[id];
  if (!linked(world)) return [];
  const [all] = readings;
  const name = names[id];
  if (life.leaving)
    return serves(world, id) && disk.log === "pair" && life.etcd === "pair"
      ? [{ label: `the removal of ${name} is in its log`, world: withDisk(world, id, { log: "removed" }) }]
      : [];
  if (all === undefined || judge("leave", factsOf(world, id, all), tables).decision.do !== "leave") return [];
  return [
    {
      label: `${name} begins to leave`,
      world: withLife(withDisk(world, id, { full: false }), id, { leaving: true }),
    },
  ];
}

/** Its etcd does not start, for reasons of its own: a full disk, say. */
function failing(world: World, id: Id, tables: Tables): readonly Move[] {
  const [all] = readings;
  const { life, disk } = world.machines[id];
  const peer = world.machines[other(id)];
  if (
    all === undefined ||
    life.etcd !== "down" ||
    // Nobody starts what was given up, unless nobody but this machine could serve.
    disk.surrendered > 0 ||
    !linked(world) ||
    !sameLineage(disk.lineage, peer.disk.lineage)
  )
    return [];
  const { decision } = judge("etcd", factsOf(world, id, all, no_word, 3), tables);
  return decision.do === "surrender"
    ? [
        {
          label: `the etcd of ${names[id]} can't start, it gives its data up`,
          world: givesUp(world, id, decision.epoch),
        },
      ]
    : [];
}
