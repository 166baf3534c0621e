import type { Facts, Holding, Lineage, Offer } from "../facts.ts";

/**
 * The safety lines of the design once more, said as one condition and without the tables, so that a table that forgets one is
 * caught. Written to be compared with design 3.2, 3.3 and 3.7, not to be fast or to explain.
 */
export function mayServeAlone(seen: Facts): boolean {
  // Without a witness nobody reads or writes a tag: what stands there may be from another time.
  const facts: Facts = seen.witness === "off" ? { ...seen, tags: { mine: unread, theirs: unread } } : seen;
  const { self, word } = facts;
  const { lineage } = self;
  const { program = "", data = "" } = facts.etcd.versions ?? {};
  // Versions of etcd 3: only their second number is compared here.
  if (Number(program.split(".")[1]) < Number(data.split(".")[1])) return false;
  if (lineage === undefined || !usable(self) || !(self.full || self.soleVoter)) return false;
  const stands = choiceOfOwn(facts);
  if (self.surrendered !== undefined && stands === undefined) return false;
  const known = knownOf(facts);
  const here = facts.peer.seen === "now";
  // A choice names no epoch: it accepts a loss only between two that show what they have, and of what was shown.
  const chosen = stands !== undefined && here;
  const [named, ...more] = `${word.accept ?? ""}`.split(",");
  const anyLoss = named === "unknown" || more.length > 0 || chosen;
  const claims = claimsElsewhere(facts, lineage);
  const newest = Math.max(0, ...claims.map(({ epoch }) => epoch));
  // A BMC that is not known to keep a tag may accuse; it acquits nobody.
  const bothRead =
    facts.witness === "on" && facts.tags.mine.kind === "lineage" && facts.tags.theirs.kind === "lineage";
  // "Unknown" is no word about an epoch that is known. What was accepted when this machine began to take over stays accepted.
  const names = named === `${newest}`;
  // No ordinary takeover has such a number: the peer may have served by the same one.
  const meant =
    self.takeover?.step === "intent" && newest % 1_000_000 === 0 && self.takeover.epoch === newest;
  const accepts = names || (meant && (word.accept !== undefined || chosen));
  const allShown = chosen && claims.every((claim) => wasShown(facts, claim));
  if (newest > 0 && !accepts && !allShown) return false;
  const surrender = known?.surrendered !== undefined && known.echo === self.others;
  // The word says that the peer is off, and not what it did before: said on both machines, it must not let both serve.
  const bmcIsSilent = facts.peerPower === "unreadable" || facts.peerPower === "fed";
  const byWord = word.peerDown && !here && bmcIsSilent;
  const byWordAlone = byWord && !surrender && facts.proof !== "off" && facts.peer.seen !== "never";
  // On its own surrender the peer may have gone on, and nobody is there to tell.
  const stale = self.surrendered !== undefined && !here;
  const informed = known?.lineage !== undefined && !stale && (!byWordAlone || self.soleVoter);
  if (!informed && !bothRead && !anyLoss) return false;
  const off = surrender || (!here && facts.proof === "off") || byWord;
  // Two logs that contradict each other: then only the peer's Off makes it safe.
  const disputed = known !== undefined && usable(known) && known.full && equal(known.lineage, lineage);
  return (
    off ||
    (self.soleVoter &&
      self.surrendered === undefined &&
      known?.lineage !== undefined &&
      newest === 0 &&
      // Chosen over another history it waits until that is given up, and goes on above it.
      (!chosen || equal(known.lineage, lineage) || stands === "begun") &&
      !disputed)
  );
}

/**
 * Does an admin's choice of this machine's data stand? It is about what he was shown: the two have it still, but for what he asked for himself, that the
 * other gives up and that this one begins a new history.
 */
function choiceOfOwn(facts: Facts): "shown" | "begun" | undefined {
  const { self, me, word, peer } = facts;
  const known = knownOf(facts);
  if (word.choose?.of !== "self" || (peer.seen === "now" && known === undefined)) return undefined;
  const { mine, theirs } = word.choose;
  const data = (each: Offer | undefined) => `${each?.lineage?.epoch}${each?.lineage?.owner}`;
  const given = (each: Offer | undefined) => each?.surrendered ?? 0;
  // The same data twice, and nobody gave it up: he can't have meant that.
  if (data(mine) === data(theirs) && given(mine) + given(theirs) === 0) return undefined;
  if (data(known) !== data(theirs)) return undefined;
  if (given(theirs) !== 0 && given(known) !== given(theirs)) return undefined;
  if (data(self) === data(mine) && given(self) === given(mine)) return "shown";
  const { epoch = 0, owner } = self.lineage ?? {};
  const isBegun = owner === me && epoch % 1_000_000 === 0 && given(self) === 0;
  return isBegun && epoch > (mine.lineage?.epoch ?? 0) && epoch > (theirs.lineage?.epoch ?? 0)
    ? "begun"
    : undefined;
}

/** What is claimed by others' takeovers was known to who chose; or he could not know of it. */
const wasShown = ({ word: { choose } }: Facts, claim: Lineage): boolean =>
  [choose?.mine.lineage, choose?.theirs.lineage, ...(choose?.tags ?? [])].some((one) => equal(one, claim));

/**
 * May what this machine began go on beside a peer that is here? The peer gave its data up, and does not begin anything itself; this machine has not, or an
 * admin took that back; and nobody chose the peer's.
 */
export function mayStillMean(facts: Facts): boolean {
  const known = knownOf(facts);
  const { self, me, peerName, word, etcd } = facts;
  const swapped: Facts = {
    ...facts,
    me: peerName,
    peerName: me,
    self: known ?? self,
    peer: { seen: "now", facts: self, serving: false, running: false, stuck: false, leaving: false },
    word: {
      ...word,
      choose:
        word.choose?.of === "peer"
          ? { ...word.choose, of: "self", mine: word.choose.theirs, theirs: word.choose.mine }
          : undefined,
    },
  };
  if (known?.surrendered === undefined || known.echo !== self.others) return false;
  if (known.takeover?.step === "intent" || (etcd.running && etcd.leader)) return false;
  if (choiceOfOwn(swapped) !== undefined) return false;
  return self.surrendered === undefined || choiceOfOwn(facts) !== undefined;
}

const unread = { kind: "unreadable" } as const;

export const usable = (disk: Holding): boolean =>
  disk.data && disk.standing === "voter" && !disk.removalInLog && !disk.tailLost;

const equal = (one: Lineage | undefined, two: Lineage): boolean =>
  one?.epoch === two.epoch && one.owner === two.owner;

const knownOf = ({ peer }: Facts): Holding | undefined => (peer.seen === "never" ? undefined : peer.facts);

const highestTold = ({ lineage, takeover, settled }: Holding): number =>
  Math.max(lineage?.epoch ?? 0, takeover?.epoch ?? 0, settled.mine, settled.theirs);

/** What is known that could be newer. */
function claimsElsewhere(facts: Facts, lineage: Lineage): readonly Lineage[] {
  const known = knownOf(facts);
  const newer: Lineage[] = [];
  /** What an own accepted loss left on its way: it hides what was accepted then, and nothing that shows beside it. */
  const left: Lineage[] = [];
  const count = (other: Lineage): void => {
    if (other.epoch > lineage.epoch || (other.epoch === lineage.epoch && other.owner !== lineage.owner))
      newer.push(other);
  };
  if (known?.lineage !== undefined) count(known.lineage);
  const peerIsNewer = newer.length > 0;
  for (const tag of [facts.tags.mine, facts.tags.theirs]) {
    if (tag.kind !== "lineage") continue;
    const { mine, theirs } = facts.self.settled;
    if (tag.epoch <= (tag.owner === facts.me ? mine : theirs)) continue;
    // The intent comes before the tag: a disk that knows of none is not the one that was there when the tag was written.
    const begun = facts.self.takeover?.epoch ?? 0;
    if (tag.owner === facts.me && tag.epoch < 1_000_000 && begun >= tag.epoch) continue;
    const peerDenies =
      facts.self.surrendered === undefined &&
      known?.lineage !== undefined &&
      !peerIsNewer &&
      known.takeover?.step !== "intent" &&
      // Once it is lost it may have taken over by an admin's word, which nobody can have told here.
      (facts.peer.seen === "now" || tag.owner === facts.me || tag.epoch <= highestTold(known));
    if (peerDenies) continue;
    const isLeft =
      tag.owner === facts.me &&
      tag.epoch === begun &&
      tag.epoch % 1_000_000 === 0 &&
      facts.self.takeover?.step === "intent" &&
      tag.epoch > lineage.epoch;
    if (isLeft) left.push(tag);
    else count(tag);
  }
  return newer.length > 0 ? newer : left;
}
