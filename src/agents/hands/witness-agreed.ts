import type { Published } from "../../act/effects.ts";
import type { Facts } from "../../decide/facts.ts";
import { isFullVoter, isUnderWay, rank } from "../../decide/lineage.ts";
import type { Site } from "../../site/site.ts";

/** What a machine's site file says, and which of its words that is: another number with each change. */
export interface Said {
  readonly witness: Site["witness"];
  readonly number: number;
}

/** What one machine keeps of the words of both, beside its data; docs/decisions/witness-off.md says why that is enough. */
export interface SaidByBoth {
  /** `heard`: the peer has noted this very word, and nothing that it served before is missing here. */
  readonly mine: Said & { readonly heard: boolean };
  /** Undefined: it never told, or its duet is older. */
  readonly theirs: Said | undefined;
}

/** What a machine tells its peer: its own word, and the number of the last one that it has noted of the peer's. */
export interface Told extends Said {
  readonly noted: number;
}

/** Who never said anything else has said `on`: nobody can go by another word of his. */
export const nothing_said: SaidByBoth = {
  mine: { witness: "on", number: 0, heard: true },
  theirs: undefined,
};

/** Of a file that can't be understood: tags are written, and nothing starts alone by them, until both have told each other anew. */
export const unknown_said: SaidByBoth = {
  // Below all that a peer can have noted: it begins anew above that.
  mine: { witness: "off", number: -1, heard: false },
  theirs: { witness: "on", number: 0 },
};

/**
 * `off`: nobody writes a tag, and nobody goes by one. `on`: both write them, and one may go by them. `apart`: tags are written, and none is
 * enough to start alone by. It takes both to leave a tag out, and both to go by one again: who left one out may be the only one who knows.
 */
export function agreedOn({ mine, theirs }: SaidByBoth, witness: Site["witness"]): "on" | "off" | "apart" {
  if (witness === "off") return theirs?.witness === "on" ? "apart" : "off";
  return mine.witness === "on" && mine.heard ? "on" : "apart";
}

/** Where nothing of the peer's is noted yet, what it has published in this boot counts: it may be lost before its word is on this disk. */
export const withHeard = (said: SaidByBoth, heard: Pick<Published, "witness"> | undefined): SaidByBoth =>
  said.theirs !== undefined || heard?.witness === undefined
    ? said
    : { ...said, theirs: { witness: heard.witness, number: -1 } };

/**
 * To be kept before anything of it is told. The same object where there is nothing new. A word that comes late, or is read late by one of several
 * agents, takes the place of no newer one.
 */
export function saidAfter(
  was: SaidByBoth,
  witness: Site["witness"],
  told: Told | undefined,
  isPaired: boolean,
): SaidByBoth {
  const mine = ownAfter(was.mine, witness, told?.noted ?? 0);
  const isNoted = !mine.heard && isPaired && mine.witness === "on" && told?.noted === mine.number;
  const isNews = told !== undefined && told.number > (was.theirs?.number ?? -1);
  if (mine === was.mine && !isNoted && !isNews) return was;
  return {
    mine: isNoted ? { ...mine, heard: true } : mine,
    theirs: isNews ? { witness: told.witness, number: told.number } : was.theirs,
  };
}

/** Who has lost its notes hears from its peer how far it had counted. */
function ownAfter(was: SaidByBoth["mine"], witness: Site["witness"], noted: number): SaidByBoth["mine"] {
  if (was.witness === witness && was.number >= noted) return was;
  return { witness, number: 1 + Math.max(was.number, noted), heard: false };
}

export const tell = ({ mine, theirs }: SaidByBoth): Told => ({
  witness: mine.witness,
  number: mine.number,
  noted: theirs?.number ?? 0,
});

/** Two full voters of the same data, by what both say in this membership: so this one holds all that the other has served. */
export function arePaired({ self, peer }: Facts): boolean {
  if (peer.seen !== "now" || peer.facts === undefined) return false;
  return (
    rank(self.lineage, peer.facts.lineage) === "same" &&
    [self, peer.facts].every(
      (each) =>
        isFullVoter(each) &&
        !each.soleVoter &&
        each.surrendered === undefined &&
        !each.left &&
        !isUnderWay(each),
    )
  );
}
