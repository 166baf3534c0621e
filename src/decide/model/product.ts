import {
  type Choice,
  empty,
  type Facts,
  type Holding,
  type Lineage,
  no_word,
  nothing_settled,
  type Offer,
  type Peer,
  type Tag,
  type Word,
} from "../facts.ts";
import { epochs_per_loss } from "../lineage.ts";

/**
 * Everything that the rules can tell apart, as few values as that takes. Epochs only count by their order: the own is 5, lower
 * is 4, higher is 6, and a million is after an accepted loss.
 */
export const me = "a";
export const peerName = "b";

const shapes: readonly Partial<Holding>[] = [
  { standing: "voter" },
  { standing: "voter", soleVoter: true },
  { standing: "voter", removalInLog: true },
  { standing: "voter", tailLost: true },
  { standing: "learner" },
  { standing: "learner", tailLost: true },
  { standing: "removed", removalInLog: true },
  { standing: "none" },
  { standing: "unknown" },
];

const settlements = [nothing_settled, { mine: 6, theirs: 6 }] as const;
const booleans = [false, true] as const;
const takeovers: readonly Holding["takeover"][] = [
  undefined,
  { step: "intent", epoch: 6 },
  { step: "intent", epoch: epochs_per_loss },
  { step: "served", epoch: 5 },
  { step: "abandoned", epoch: 6 },
];

/** All that a disk can hold with these lineages. Without data there is only what was given up and what was noted. */
export function holdings(lineages: readonly (Lineage | undefined)[]): readonly Holding[] {
  const found: Holding[] = [];
  for (const surrendered of [undefined, 6])
    for (const settled of settlements)
      for (const takeover of takeovers) {
        const noted = { surrendered, settled, takeover };
        found.push({ ...empty, ...noted });
        for (const shape of shapes)
          for (const lineage of lineages)
            for (const full of booleans)
              found.push({ ...empty, data: true, ...shape, lineage, full, ...noted });
      }
  return found;
}

export const own_lineages: readonly (Lineage | undefined)[] = [
  undefined,
  { epoch: 5, owner: me },
  { epoch: 5, owner: peerName },
];
export const all_lineages: readonly (Lineage | undefined)[] = [
  undefined,
  { epoch: 4, owner: me },
  { epoch: 5, owner: me },
  { epoch: 5, owner: peerName },
  { epoch: 6, owner: peerName },
];

const unread: Tag = { kind: "unreadable" };
const tags: readonly Tag[] = [
  unread,
  { kind: "lineage", epoch: 4, owner: me },
  { kind: "lineage", epoch: 5, owner: me },
  { kind: "lineage", epoch: 5, owner: peerName },
  { kind: "lineage", epoch: 6, owner: me },
  { kind: "lineage", epoch: 6, owner: peerName },
  { kind: "lineage", epoch: epochs_per_loss, owner: me },
];
/** All that a tag says in any of these facts. */
const allTags: Choice["tags"] = tags.flatMap((tag) =>
  tag.kind === "lineage" ? [{ epoch: tag.epoch, owner: tag.owner }] : [],
);
/** Which BMC has which does not matter to who may serve. */
export const tagPairs: readonly Facts["tags"][] = tags.flatMap((mine, at) =>
  tags.slice(at).map((theirs) => ({ mine, theirs })),
);

export const words: readonly Word[] = [
  no_word,
  { peerDown: true, accept: undefined, choose: undefined },
  { peerDown: true, accept: 6, choose: undefined },
  { peerDown: true, accept: 4, choose: undefined },
  { peerDown: true, accept: "unknown", choose: undefined },
  { peerDown: true, accept: "6,unknown", choose: undefined },
];

/** Made between what the two hold now. */
const shownNow = (self: Offer, theirs: Offer | undefined, of: Choice["of"]): Choice => ({
  of,
  tags: allTags,
  mine: { lineage: self.lineage, surrendered: self.surrendered },
  theirs: { lineage: theirs?.lineage, surrendered: theirs?.surrendered },
});

/** What neither of the two holds in any of these facts. */
const past: Offer = { lineage: { epoch: 3, owner: peerName }, surrendered: undefined };

/** Made between something else: of this machine's, or of the peer's. Nothing of it counts. */
export function choicesOver(self: Offer, theirs: Offer | undefined): readonly Choice[] {
  const mine = shownNow(self, theirs, "self");
  const peers = shownNow(self, theirs, "peer");
  return [
    { ...mine, theirs: past },
    { ...mine, mine: past },
    { ...peers, theirs: past },
    { ...peers, mine: past },
  ];
}

/** Made between what the two hold now, or before the one that is not chosen gave its own up. */
export function choicesNow(self: Offer, theirs: Offer | undefined): readonly Choice[] {
  const mine = shownNow(self, theirs, "self");
  const before = { ...mine, theirs: { ...mine.theirs, surrendered: undefined } };
  return [mine, ...(theirs?.surrendered === undefined ? [] : [before]), shownNow(self, theirs, "peer")];
}

/** An admin's words here: without a choice, with one that counts or could, with one that is over, and with a loss beside it. */
export function wordsOf(self: Holding, peer: Peer): readonly Word[] {
  const theirs = peer.seen === "never" ? undefined : peer.facts;
  const [mine, ...others] = choicesNow(self, theirs);
  if (mine === undefined) return words;
  const bare = { ...no_word, choose: mine };
  // Of a machine that is alone and gave nothing up no choice is heard.
  if (peer.seen !== "now" && self.surrendered === undefined) return [...words, bare];
  const besides = peer.seen === "now" ? [] : ([6, 4, "unknown", "6,unknown"] as const);
  // Of the tags it was shown only one, and the others came up since.
  const some = { ...bare, choose: { ...mine, tags: [{ epoch: 6, owner: peerName }] } };
  const over = self.settled.mine === 0 ? choicesOver(self, theirs).slice(0, 2) : [];
  return [
    ...words,
    bare,
    ...(peer.seen === "now" ? [some] : []),
    ...besides.map((accept) => ({ ...bare, accept })),
    ...[...others, ...over].map((choose) => ({ ...no_word, choose })),
  ];
}

/** None, one that this machine's log can count on, and one that was said to members that it no longer has. */
const surrenders: readonly Partial<Holding>[] = [
  { surrendered: undefined },
  { surrendered: 6 },
  { surrendered: 6, echo: "an older member" },
];

/** The peer as the takeover's rules see it: of its disk they ask only this. */
export function peersForTakeover(): readonly Peer[] {
  const facts: (Holding | undefined)[] = [undefined];
  for (const lineage of all_lineages)
    for (const said of surrenders)
      for (const takeover of [undefined, { step: "intent", epoch: 6 } as const])
        for (const full of booleans)
          facts.push({
            ...empty,
            ...said,
            data: lineage !== undefined,
            standing: "voter",
            lineage,
            takeover,
            full,
          });
  return [
    { seen: "never" },
    ...facts.flatMap((each): Peer[] => [
      { seen: "before", facts: each },
      { seen: "now", facts: each, serving: false, running: true, stuck: false, leaving: false },
    ]),
  ];
}

export const ordinary: Omit<Facts, "self" | "peer"> = {
  me,
  peerName,
  peerPower: "unreadable",
  proof: "none",
  fencePending: true,
  started: true,
  word: no_word,
  tags: { mine: { kind: "lineage", epoch: 5, owner: me }, theirs: { kind: "lineage", epoch: 5, owner: me } },
  witness: "on",
  firstStart: false,
  etcd: { running: false, leader: false, failedStarts: 0 },
  stopping: "shutdown",
};

/**
 * Without a witness no tag counts: none that can't be read, and none that would if it did. With one
 * that is not proven they count as claims, and one is enough for that.
 */
const witnesses: readonly { readonly pair: Facts["tags"]; readonly witness: Facts["witness"] }[] = [
  ...tagPairs.map((pair) => ({ pair, witness: "on" as const })),
  ...tagPairs
    .filter(({ mine, theirs }) => mine === theirs || mine === unread)
    .map((pair) => ({ pair, witness: "unproven" as const })),
  ...tagPairs
    .filter(({ mine, theirs }) => mine === theirs)
    .map((pair) => ({ pair, witness: "off" as const })),
];

/** Installed is an etcd that is older than the data. */
export const older: Facts["etcd"] = {
  ...ordinary.etcd,
  versions: { program: "3.5.33", data: "3.6.0", peer: undefined, cluster: undefined },
};

/** Calls `see` for every combination that the takeover's rules can tell apart. The facts are one object, filled anew each time. */
export function everyTakeover(
  see: (facts: Facts) => void,
  selves: readonly Holding[] = holdings(own_lineages),
  peers: readonly Peer[] = peersForTakeover(),
): number {
  let count = 0;
  // The few first: who looks for one of them does not go through the millions.
  for (const self of selves)
    for (const peer of peers)
      for (const word of wordsOf(self, peer)) {
        count++;
        see({ ...ordinary, self, peer, word, proof: "off", etcd: older });
      }
  // It is asked for only where there is neither proof nor word.
  for (const self of selves)
    for (const peer of peers)
      for (const { pair, witness } of witnesses)
        for (const word of wordsOf(self, peer))
          for (const peerPower of peer.seen === "never"
            ? (["on", "off", "fed", "unreadable"] as const)
            : (["on", "unreadable"] as const))
            for (const proof of ["none", "off"] as const)
              for (const fencePending of proof === "none" && word === no_word && peer.seen === "before"
                ? booleans
                : ([true] as const)) {
                count++;
                see({ ...ordinary, self, peer, tags: pair, witness, word, peerPower, proof, fencePending });
              }
  return count;
}
