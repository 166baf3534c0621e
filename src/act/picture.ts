import type { Facts, Holding, Lineage, Peer, Proof } from "../decide/facts.ts";
import { isClaim, isNewer } from "../decide/lineage.ts";
import type { LogFacts, Published, State } from "./effects.ts";

/** What duet on one machine keeps for this boot: under /run on a machine, so that no reboot keeps it. */
export interface Remembered {
  /** The peer was a Corosync member in this boot. */
  readonly seen: boolean;
  /** The last that the peer published in this boot. */
  readonly heard: Published | undefined;
  /** The membership in which the peer's Off was read, and whether it had left in order and gone off by itself. */
  readonly provenIn: string | undefined;
  readonly wentOff: boolean;
  /** The boot in which the peer was last heard before that Off was read; undefined: nobody knows, or it was heard in it again. */
  readonly offBoot: string | undefined;
  /** The membership in which Off was shown, and a fence could not prove it. */
  readonly doubtedIn: string | undefined;
  /** What the BMCs' tags have said in this boot that was newer than this machine's data. */
  readonly tags: readonly Lineage[];
}

export const nothing_remembered: Remembered = {
  seen: false,
  heard: undefined,
  provenIn: undefined,
  wentOff: false,
  offBoot: undefined,
  doubtedIn: undefined,
  tags: [],
};

/** All that was read for one picture. Each part is read by a world in its own way; what it means is said once, here. */
export interface Readings extends Omit<Facts, "self" | "peer" | "proof"> {
  readonly state: State;
  readonly log: LogFacts;
  /** Corosync's membership of now, by a name that no other membership of this boot has. */
  readonly membership: { readonly ring: string; readonly peer: boolean };
  /** What the peer published in this very membership. What it said in an earlier one is in `remembered`. */
  readonly said: Published | undefined;
  readonly remembered: Remembered;
  /** The peer's etcd answers a linearizable read. */
  readonly peerServes: boolean;
  readonly peerStuck: boolean;
}

/** To be called with each change of the membership and of the attributes, so that nothing is forgotten within a boot. */
export const remember = (
  was: Remembered,
  membership: Readings["membership"],
  said: Published | undefined,
): Remembered => ({
  ...was,
  seen: was.seen || membership.peer,
  heard: said ?? was.heard,
  // Each false Off is found once.
  offBoot: isFalseOff(was, said) ? undefined : was.offBoot,
});

/**
 * To be called with each picture; the same again where nothing changes. A peer that is here and whose disk shows that the takeover of a tag never
 * served acquits it for good: such a tag is of another time or place, and it may have been put right.
 */
export function rememberTags(was: Remembered, facts: Facts): Remembered {
  const { peer, self, tags } = facts;
  const now = [tags.mine, tags.theirs].flatMap((tag) =>
    tag.kind === "lineage" ? [{ epoch: tag.epoch, owner: tag.owner }] : [],
  );
  const counts = (tag: Lineage): boolean =>
    isNewer(tag, self.lineage) && (peer.seen !== "now" || isClaim(facts, { kind: "lineage", ...tag }));
  const kept = [...was.tags, ...now].filter((tag, at, all) => counts(tag) && !stands(all.slice(0, at), tag));
  const isSame = kept.length === was.tags.length && kept.every((tag) => stands(was.tags, tag));
  return isSame ? was : { ...was, tags: kept };
}

const stands = (tags: readonly Lineage[], { epoch, owner }: Lineage): boolean =>
  tags.some((each) => each.epoch === epoch && each.owner === owner);

/** Off was read in this membership, in which the peer is not. */
export const rememberOff = (was: Remembered, ring: string, wentOff: boolean): Remembered => ({
  ...was,
  provenIn: ring,
  wentOff,
  offBoot: was.heard?.boot,
});

/**
 * A machine that was off comes back in another boot. One that is heard again in the boot in which it was last heard before its Off was
 * read ran on all the time: what said Off was wrong, and two may have served. The proof is void by then in any case. Of a boot that
 * nobody told, nothing is concluded.
 */
export const isFalseOff = ({ offBoot }: Remembered, said: Published | undefined): boolean =>
  offBoot !== undefined && said?.boot === offBoot;

/** One picture of the world, as decide wants it: nothing more, since it is kept with each decision. */
export function picture(readings: Readings): Facts {
  const { me, peerName, peerPower, fencePending, word, witness } = readings;
  const { firstStart, etcd, started, stopping } = readings;
  return {
    me,
    peerName,
    self: holdingOf(readings),
    peer: peerOf(readings),
    peerPower,
    proof: proofOf(readings),
    fencePending,
    word,
    tags: tagsOf(readings),
    witness,
    firstStart,
    etcd,
    started,
    stopping,
  };
}

/** The echo is of what was heard before the state was read: a surrender that ended since is not said to newer members. */
export function holdingOf({
  state,
  log,
  said,
  remembered,
}: Pick<Readings, "state" | "log" | "said" | "remembered">): Holding {
  const { lineage, full, takeover, left, surrendered, settled } = state;
  const echo = (said ?? remembered.heard)?.holding.others ?? "";
  // Of its version only this machine needs to know.
  const { version: _, ...held } = log;
  return { ...held, lineage, full, takeover, left, surrendered, settled, echo };
}

function peerOf({ membership, said, remembered, peerServes, peerStuck }: Readings): Peer {
  if (membership.peer)
    return {
      seen: "now",
      facts: said?.holding,
      serving: peerServes,
      running: peerServes || said?.running === true,
      stuck: peerStuck,
      leaving: said?.leaving === true,
    };
  return remembered.seen ? { seen: "before", facts: remembered.heard?.holding } : { seen: "never" };
}

function tagsOf({ tags: { mine, theirs }, remembered, state: { lineage } }: Readings): Facts["tags"] {
  const now = [mine, theirs].flatMap((tag) => (tag.kind === "lineage" ? [tag] : []));
  const gone = remembered.tags.filter((tag) => isNewer(tag, lineage) && !stands(now, tag));
  return gone.length === 0 ? { mine, theirs } : { mine, theirs, gone };
}

/** A proof is for one loss: in any other membership it is void. */
function proofOf({ remembered: { provenIn }, membership }: Readings): Proof {
  if (provenIn === undefined) return "none";
  return provenIn === membership.ring && !membership.peer ? "off" : "void";
}
