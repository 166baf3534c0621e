import type { Kernel } from "../kernel/kernel.ts";
import type { Note } from "../kernel/trace.ts";
import { mendedOnce, type Pass, switchedByBmc, withoutEchoes } from "./echoes.ts";
import { etcdChanges, membershipChanges, onceAnEra } from "./eras.ts";
import { type Ack, closer, laneName, type Moment } from "./moment.ts";
import { type Members, membersOf, named } from "./names.ts";
import { promiseOf } from "./promises.ts";
import { readNote } from "./readers.ts";
import { besides, type Blow, blowLines, blowsOf, settingOf } from "./schedule.ts";
import { type Span, spansOf } from "./spans.ts";
import { foldSteps } from "./steps.ts";
import { wholeWires } from "./wires.ts";
import { acksOf, outages } from "./writes.ts";

/** A run in words: what was done to it, what came of it, and what broke. */
export interface Story {
  /** The first fault, or the beginning where there was none: all times are told from here. */
  readonly zero_us: number;
  readonly end_us: number;
  /** What is special about the world of this run. */
  readonly setting: string | undefined;
  readonly blows: readonly Blow[];
  readonly besides: readonly string[];
  readonly moments: readonly Moment[];
  readonly acks: readonly Ack[];
  readonly spans: readonly Span[];
  readonly broken: Broken | undefined;
  readonly events: number;
}
export interface Broken {
  readonly check: string;
  readonly promise: string | undefined;
  readonly what: string;
  readonly at_us: number;
}

const passes: readonly Pass[] = [
  mendedOnce,
  wholeWires,
  switchedByBmc,
  withoutEchoes,
  etcdChanges,
  membershipChanges,
  onceAnEra,
  foldSteps,
];

/** The story of a run that was made with its trace on. */
export function storyOf(kernel: Kernel): Story {
  const notes = [...kernel.trace.notes()];
  const members = membersOf(notes);
  const acks = acksOf(notes);
  let moments: readonly Moment[] = withOutages(read(notes, members), acks);
  for (const pass of passes) moments = pass(moments);
  const lines = blowLines(moments);
  const blows = blowsOf(notes, lines);
  moments = moments.map((moment) => (lines.has(moment) ? { ...moment, level: 0 } : moment));
  const zero_us = blows[0]?.at_us ?? 0;
  return {
    zero_us,
    end_us: kernel.now_us,
    setting: settingOf(notes),
    blows,
    besides: besides(kernel.choices.taken),
    moments: fromZero(moments, acks, zero_us),
    acks,
    spans: spansOf(notes, members, kernel.now_us),
    broken: brokenOf(kernel, members),
    events: kernel.events,
  };
}

const read = (notes: readonly Note[], members: Members): readonly Moment[] =>
  notes.flatMap((note) => readNote(note, members) ?? []);

const withOutages = (moments: readonly Moment[], acks: readonly Ack[]): readonly Moment[] =>
  [...moments, ...outages(acks)].toSorted(
    (a, b) => a.at_us - b.at_us || Number(a.sort === "violation") - Number(b.sort === "violation"),
  );

/** How the two became 1+1 is the same in every run: it is there for those who look closer. */
function fromZero(moments: readonly Moment[], acks: readonly Ack[], zero_us: number): readonly Moment[] {
  if (zero_us === 0) return moments;
  const early = moments.filter(({ at_us }) => at_us < zero_us);
  const leader = early.findLast(
    ({ kind, text }) => kind === "etcd.role" && text.startsWith("etcd leads,"),
  )?.lane;
  const acknowledged = acks.filter(({ at_us }) => at_us < zero_us).length;
  const stand: Moment = {
    at_us: zero_us,
    lane: "between",
    sort: "other",
    level: 0,
    kind: "story",
    text: `so far: 1+1, ${leader === undefined ? "nobody" : laneName(leader)} leads, ${acknowledged} writes are acknowledged`,
  };
  const later = moments.filter(({ at_us }) => at_us >= zero_us);
  return [...early.map((moment): Moment => ({ ...moment, level: closer })), stand, ...later];
}

function brokenOf({ violation }: Kernel, members: Members): Broken | undefined {
  if (violation === undefined) return undefined;
  const { check, what, at_us } = violation;
  return { check, promise: promiseOf(check), what: named(members, what), at_us };
}
