import { lineageText } from "../../decide/rule.ts";
import type { Facts, Holding, Tag } from "../../decide/facts.ts";
import { heard, isFullVoter } from "../../decide/lineage.ts";
import type { LogEnd } from "../../decide/score.ts";
import { moment } from "../status/layout.ts";

/** What a person is shown before he speaks, and what the record keeps of that. */
export interface Shown {
  readonly machine: string;
  readonly peer: string;
  readonly peerPower: Facts["peerPower"];
  /** Off was read after this loss. */
  readonly proven: boolean;
  /** By machine: what its BMC's tag says. */
  readonly tags: Readonly<Record<string, string>>;
  /** By machine: what it holds; null: nobody knows here. */
  readonly data: Readonly<Record<string, string | null>>;
  /** By machine: where its log ends; null: not known. Of one lineage, the higher term is newer, and then the higher index. */
  readonly logEnd: Readonly<Record<string, LogEnd | null>>;
  /** When this machine's etcd last wrote, and when the two were last seen together; null: not known. */
  readonly written_at: string | null;
  readonly together_at: string | null;
  /** What could be lost, in words. */
  readonly loss: string;
}

export interface Times {
  readonly written_ms: number | undefined;
  readonly together_ms: number | undefined;
}

export interface LogEnds {
  readonly mine: LogEnd | undefined;
  readonly theirs: LogEnd | undefined;
}

export function shownOf(facts: Facts, times: Times, ends: LogEnds, loss: string): Shown {
  const { me, peerName, peerPower, proof, tags, self, witness } = facts;
  const tag = (each: Tag) => (witness === "off" ? "not read (`witness: off`)" : tagText(each));
  const theirs = heard(facts);
  return {
    machine: me,
    peer: peerName,
    peerPower,
    proven: proof === "off",
    tags: { [me]: tag(tags.mine), [peerName]: tag(tags.theirs) },
    data: { [me]: holdingText(self), [peerName]: theirs === undefined ? null : holdingText(theirs) },
    logEnd: { [me]: ends.mine ?? null, [peerName]: ends.theirs ?? null },
    written_at: isoOf(times.written_ms),
    together_at: isoOf(times.together_ms),
    loss,
  };
}

const isoOf = (at_ms: number | undefined): string | null =>
  at_ms === undefined ? null : new Date(at_ms).toISOString();

const tagText = (tag: Tag): string =>
  tag.kind === "lineage"
    ? lineageText(tag)
    : { unreadable: "can't be read", foreign: "is not of this site", blank: "is empty" }[tag.kind];

export function holdingText(holding: Holding): string {
  const { data, standing, lineage, surrendered, takeover } = holding;
  if (!data) return "no data";
  return [
    lineageText(lineage),
    standing === "unknown" ? "a log that can't be judged" : standing,
    isFullVoter(holding) ? "holds all that it acknowledged" : "not known to hold everything",
    ...(holding.soleVoter ? ["the only voter"] : []),
    ...(surrendered === undefined ? [] : ["given up"]),
    ...(takeover === undefined ? [] : [`takeover ${takeover.step} ${takeover.epoch}`]),
  ].join(", ");
}

const powers: Readonly<Record<Facts["peerPower"], string>> = {
  on: "On, by its BMC",
  off: "Off, as it was read now",
  fed: "its BMC does not answer, and its outlet has power",
  unreadable: "nobody can read it: its BMC does not answer",
};

/** Label and text, for a screen and for the record. */
export function shownRows(shown: Shown, now_ms: number): readonly (readonly [string, string])[] {
  const { machine, peer, peerPower, proven, tags, data, logEnd, written_at, together_at, loss } = shown;
  const unheard = `not heard since ${machine} booted`;
  const untold =
    data[peer] === null
      ? unheard
      : "where it ends was not told: its etcd ran when it was last heard, or it has none";
  const when = (at: string | null) => (at === null ? "not known" : moment(Date.parse(at), now_ms));
  return [
    [`power of ${peer}`, `${powers[peerPower]}${proven ? "; Off is proven for this loss" : ""}`],
    ...[machine, peer].map((name) => [`tag of ${name}`, tags[name] ?? ""] as const),
    [`data of ${machine}`, data[machine] ?? ""],
    [`data of ${peer}`, data[peer] ?? unheard],
    [`log of ${machine}`, endText(logEnd[machine]) ?? "none, or it can't be read"],
    [`log of ${peer}`, endText(logEnd[peer]) ?? untold],
    ["last written", `${when(written_at)} on ${machine}`],
    ["last together", when(together_at)],
    ["may be lost", loss],
  ];
}

const endText = (end: LogEnd | null | undefined): string | undefined =>
  end === null || end === undefined ? undefined : `ends at term ${end.term}, index ${end.index}`;

/** In one line. */
export const shownText = (shown: Shown, now_ms: number): string =>
  shownRows(shown, now_ms)
    .map(([label, text]) => `${label}: ${text}`)
    .join("; ")
    .replaceAll("\u00a0", " ");
