import type { LogFacts, OwnFacts, Published } from "../../src/act/effects.ts";
import { arePaired } from "../../src/agents/hands/witness-agreed.ts";
import { holdingOf, picture, type Readings, rememberTags } from "../../src/act/picture.ts";
import type { Sides } from "../../src/decide/choice.ts";
import { type Facts, type Lineage, no_word, type Tag, type Word } from "../../src/decide/facts.ts";
import type { BmcAnswer } from "../bmc.ts";
import type { Life } from "../kernel/life.ts";
import type { DataFolder } from "../raft/data.ts";
import { isSoleVoter, walFacts } from "../raft/standing.ts";
import { nameOf } from "./names.ts";
import type { Node } from "./node.ts";
import { noState, tornState } from "./state.ts";
import { readTag } from "./tag.ts";
import { shareSaid, shareWitness, watchTag, witnessOf } from "./witness.ts";

export const factsAttribute = "duet-facts";
const call_us = 3_000_000;
/** To read etcd's log. */
export const read_us = 20_000;
const slow_call_us = 10_000_000;

/** One picture of the world from one machine's side, as the agent takes it. */
export async function gatherFacts(node: Node, life: Life): Promise<Facts> {
  const { world, id, peer } = node;
  // Who has quorum is in a hurry; a lone machine has time for a slow BMC.
  const patience_us = world.corosync.view(id).quorate ? call_us : slow_call_us;
  const [mine, theirs, serving, etcd] = await world.kernel.tasks.all([
    () => readBmc(node, life, id, patience_us),
    () => lookAtPeer(node, life, patience_us),
    () => peerServes(node, life),
    () => ownEtcd(node, life),
  ]);
  const membership = membershipOf(node);
  if (membership.peer) await shareWitness(node, life);
  const pacemaker = world.pacemaker.controller(id);
  const fencePending = pacemaker?.belief(peer).unclean === true;
  const facts = picture({
    me: node.name,
    peerName: nameOf(peer),
    ...holdingsOf(node),
    membership,
    said: saidByPeer(node),
    remembered: node.memory.remembered,
    peerServes: serving,
    // Lost it is not: its etcd could not be stopped.
    peerStuck: membership.peer && fencePending,
    started: node.memory.started,
    fencePending,
    peerPower: theirs.power,
    word: wordOf(node),
    tags: { mine: tagOf(mine), theirs: tagOf(theirs.seen) },
    witness: witnessOf(node),
    firstStart: node.site.firstStart,
    etcd: { ...etcd, failedStarts: node.memory.failedStarts },
    stopping: pacemaker?.belief(id).standby === true ? "shutdown" : "restart",
  });
  node.memory.remembered = rememberTags(node.memory.remembered, facts);
  if (membership.peer) await shareSaid(node, life, arePaired(facts));
  return facts;
}

/** Its files, and its own etcd. */
export async function ownFacts(node: Node, life: Life): Promise<OwnFacts> {
  const { world } = node;
  await world.kernel.tasks.sleep(life, read_us);
  const etcd = await ownEtcd(node, life);
  const { memory } = node;
  const self = holdingOf({
    ...holdingsOf(node),
    said: saidByPeer(node),
    remembered: memory.remembered,
  });
  return { self, etcd: { ...etcd, failedStarts: memory.failedStarts } };
}

/** Of a file that can't be read nothing is assumed, nor of the log beside it. */
export const holdingsOf = ({ world, id, state }: Node): Pick<Readings, "state" | "log"> =>
  state.value === tornState
    ? { state: noState, log: unknownLog }
    : { state: state.value, log: logFacts(world.unit(id).data) };

/** What a machine would be told of both now. */
export function sidesNow(node: Node): Sides {
  const said = saidByPeer(node);
  const { remembered } = node.memory;
  return {
    me: node.name,
    peerName: nameOf(node.peer),
    self: holdingOf({ ...holdingsOf(node), said, remembered }),
    theirs: (membershipOf(node).peer ? said : remembered.heard)?.holding,
    tags: [
      ...node.world.machines.flatMap(({ id }) => {
        const tag = readTag(node.world.bmc(id).tag);
        return tag.kind === "lineage" ? [{ epoch: tag.epoch, owner: tag.owner }] : [];
      }),
      ...remembered.tags,
    ],
  };
}

const wordOf = (node: Node): Word => {
  const { spoken } = node.memory;
  return spoken?.ring === membershipOf(node).ring ? spoken.word : no_word;
};

/** A ring's number is used once. */
export function membershipOf({ world, id, peer }: Node): Readings["membership"] {
  const { ring, members } = world.corosync.view(id);
  return { ring: String(ring), peer: members.includes(peer) };
}

const noLog: LogFacts = {
  data: false,
  standing: "none",
  soleVoter: false,
  removalInLog: false,
  tailLost: false,
  others: "",
};
const unknownLog: LogFacts = { ...noLog, data: true, standing: "unknown" };

export function logFacts(folder: DataFolder | undefined): LogFacts {
  if (folder === undefined || folder.wal.records.length === 0) return noLog;
  if (folder.unreadable) return unknownLog;
  const { standing, removal, tail_lost, others } = walFacts(folder);
  return {
    data: true,
    standing,
    soleVoter: isSoleVoter(folder),
    removalInLog: removal,
    tailLost: tail_lost,
    others: others.join(","),
  };
}

/** What the peer published in the membership of now; what was said in an earlier one is not repeated. */
export const saidByPeer = (node: Node): Published | undefined => saidBy(node, node.peer);

export function saidBy({ world, site, id }: Node, whose: number): Published | undefined {
  const text = world.attributes.get(id, whose, factsAttribute);
  if (text === undefined || !text.startsWith(`${world.corosync.view(id).ring} `)) return undefined;
  return site.published.get(text);
}

/** By a question that it answers alone, with or without a leader. */
async function ownEtcd({ world, id }: Node, life: Life): Promise<Pick<Facts["etcd"], "running" | "leader">> {
  const member = world.unit(id).open;
  if (member?.paused === true) await world.kernel.tasks.sleep(life, call_us);
  const running = world.unit(id).open;
  return {
    running: running !== undefined && !running.paused,
    leader: running !== undefined && running.raft.lead !== 0,
  };
}

async function peerServes({ world, id, peer }: Node, life: Life): Promise<boolean> {
  if (!world.corosync.view(id).members.includes(peer)) return false;
  // A closed port is known at once.
  if (world.links[0].joined(id, peer) && world.unit(peer).open === undefined) return false;
  const read = await world.askEtcd(
    life,
    id,
    peer,
    (requests, reply) => requests.read(reply),
    (_, answer) => answer.ok,
    call_us,
  );
  return read === true;
}

interface PeerLook {
  readonly seen: BmcAnswer | undefined;
  readonly power: Facts["peerPower"];
}

/** By the BMC; where that does not answer, by the outlet, which feeds both. They are asked at once. */
export async function lookAtPeer(
  node: Node,
  life: Life,
  bmc_us: number,
  by?: "BMC" | "outlets",
): Promise<PeerLook> {
  const { world, id, peer, site } = node;
  const hasOutlet = site.hasPdu && by !== "BMC";
  const [seen, outlet] = await world.kernel.tasks.all([
    () => readBmc(node, life, peer, bmc_us),
    async () =>
      hasOutlet ? await world.askPdu(life, id, { kind: "read", machine: peer }, call_us) : undefined,
  ]);
  const isDoubted = by === "outlets" && seen?.power === "Off";
  if (seen?.power !== undefined && !isDoubted) return { seen, power: seen.power === "Off" ? "off" : "on" };
  if (outlet === undefined) return { seen, power: "unreadable" };
  return { seen, power: outlet.power === "Off" ? "off" : "fed" };
}

export function tagOf(answer: BmcAnswer | undefined): Tag {
  if (answer?.tag === undefined) return { kind: "unreadable" };
  return readTag(answer.tag);
}

export const tagText = ({ epoch, owner }: Lineage): string => `duet ${epoch} ${owner}`;

/** Each look at a BMC is one at its tag, too. */
async function readBmc(
  node: Node,
  life: Life,
  bmc: number,
  deadline_us: number,
): Promise<BmcAnswer | undefined> {
  const watched = watchTag(node, life, bmc);
  const seen = await node.world.askBmc(life, node.id, bmc, { kind: "read" }, deadline_us);
  await watched(seen);
  return seen;
}
