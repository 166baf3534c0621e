import type { LogFacts, Published } from "../../src/act/effects.ts";
import { picture, type Readings } from "../../src/act/picture.ts";
import { type Facts, type Lineage, no_word, type Tag } from "../../src/decide/facts.ts";
import type { BmcAnswer } from "../bmc.ts";
import type { Life } from "../kernel/life.ts";
import type { DataFolder } from "../raft/data.ts";
import { changed } from "../raft/membership.ts";
import { walFacts } from "../raft/standing.ts";
import { type Membership, noMembership } from "../raft/types.ts";
import { type Node, nameOf } from "./node.ts";

export const factsAttribute = "duet-facts";
const call_us = 3_000_000;

/** One picture of the world from one machine's side, as the agent takes it. */
export async function gatherFacts(node: Node, life: Life): Promise<Facts> {
  const { world, id, peer } = node;
  const [mine, theirs, serving] = await Promise.all([
    world.askBmc(life, id, id, { kind: "read" }, call_us),
    world.askBmc(life, id, peer, { kind: "read" }, call_us),
    peerServes(node, life),
  ]);
  const peerPower = await powerOf(node, life, theirs);
  const member = world.unit(id).running;
  return picture({
    me: node.name,
    peerName: nameOf(peer),
    state: node.state.value,
    log: logFacts(world.unit(id).folder.value),
    membership: membershipOf(node),
    said: saidByPeer(node),
    remembered: node.memory.remembered,
    peerServes: serving,
    peerStuck: false,
    peerPower,
    word: no_word,
    tags: { mine: tagOf(mine), theirs: tagOf(theirs) },
    witness: "on",
    firstStart: node.site.firstStart,
    etcd: {
      running: member !== undefined,
      leader: member !== undefined && member.raft.lead !== 0,
      failedStarts: node.memory.failedStarts,
    },
    stopping: world.pacemaker.controller(id)?.belief(id).standby === true ? "shutdown" : "restart",
  });
}

/** A ring's number is used once. */
export function membershipOf({ world, id, peer }: Node): Readings["membership"] {
  const { ring, members } = world.corosync.view(id);
  return { ring: String(ring), peer: members.includes(peer) };
}

export function logFacts(folder: DataFolder | undefined): LogFacts {
  if (folder === undefined || folder.wal.records.length === 0)
    return {
      data: false,
      standing: "none",
      soleVoter: false,
      removalInLog: false,
      tailLost: false,
      others: "",
    };
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

/** By what the log calls committed. */
function isSoleVoter(folder: DataFolder): boolean {
  const { state, entries, snapshot } = folder.wal.replay(folder.snapshots);
  let membership: Membership = snapshot?.membership ?? noMembership;
  try {
    for (const { change, index } of entries)
      if (change !== undefined && index <= state.commit) membership = changed(membership, change);
  } catch {
    return false;
  }
  return membership.voters.length === 1 && membership.voters[0] === folder.member;
}

/** What the peer published in the membership of now; what was said in an earlier one is not repeated. */
export function saidByPeer({ world, site, id, peer }: Node): Published | undefined {
  const text = world.attributes.get(id, peer, factsAttribute);
  if (text === undefined || !text.startsWith(`${world.corosync.view(id).ring} `)) return undefined;
  return site.published.get(text);
}

async function peerServes({ world, id, peer }: Node, life: Life): Promise<boolean> {
  if (!world.corosync.view(id).members.includes(peer)) return false;
  // A closed port is known at once.
  if (world.links[0].joined(id, peer) && world.unit(peer).running === undefined) return false;
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

/** By the BMC; where that does not answer, by the outlet, which feeds both. */
export async function powerOf(
  { world, id, peer }: Node,
  life: Life,
  seen: BmcAnswer | undefined,
): Promise<Facts["peerPower"]> {
  if (seen?.power !== undefined) return seen.power === "Off" ? "off" : "on";
  const outlet = await world.askPdu(life, id, { kind: "read", machine: peer }, call_us);
  return outlet?.power === "Off" ? "off" : "unreadable";
}

export function tagOf(answer: BmcAnswer | undefined): Tag {
  if (answer?.tag === undefined) return { kind: "unreadable" };
  if (answer.tag === "") return { kind: "blank" };
  const [, epoch, owner] = /^duet (\d+) (node[12])$/.exec(answer.tag) ?? [];
  if (epoch === undefined || owner === undefined) return { kind: "foreign" };
  return { kind: "lineage", epoch: Number(epoch), owner };
}

export const tagText = ({ epoch, owner }: Lineage): string => `duet ${epoch} ${owner}`;
