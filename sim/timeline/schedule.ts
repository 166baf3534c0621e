import { nameOf } from "../agents/names.ts";
import type { Choice } from "../kernel/choices.ts";
import type { Note } from "../kernel/trace.ts";
import { laneName, type Moment } from "./moment.ts";

/** Something that is done to the machines, in words. */
export interface Blow {
  readonly at_us: number;
  readonly text: string;
}

/**
 * The lines that are blows: faults, and what they do later, for a trap that snaps at a step or at a message has no line of its own.
 * When the faults are over, what happens is somebody's help.
 */
export function blowLines(moments: readonly Moment[]): ReadonlySet<Moment> {
  const faults = new Set(moments.filter(({ sort }) => sort === "fault").map(({ at_us }) => at_us));
  const over_us = moments.find(({ kind }) => kind === "storm.whole")?.at_us ?? Number.POSITIVE_INFINITY;
  return new Set(
    moments.filter(
      (moment) =>
        moment.sort === "fault" || (isStroke(moment) && !faults.has(moment.at_us) && moment.at_us < over_us),
    ),
  );
}

const isStroke = ({ kind, sort, text }: Moment): boolean =>
  (kind === "machine" && (text === "loses its power" || text === "hangs")) ||
  (kind === "etcd.exit" && text.endsWith("killed")) ||
  kind === "storm.disk" ||
  sort === "wire";

/** A message takes less: what is cut around one is cut at once. */
const at_once_us = 1_000;

/** Each blow with what the trace says of its length: the choices behind it are numbers that nobody reads. */
export function blowsOf(notes: readonly Note[], lines: ReadonlySet<Moment>): readonly Blow[] {
  const faults = notes.flatMap(({ kind }, at) => (kind === "storm" ? [at] : []));
  const blows = new Map<string, Blow & { readonly lengths: readonly string[] }>();
  let nth = 0;
  let stroke_us = Number.NEGATIVE_INFINITY;
  for (const line of lines) {
    const { at_us, sort } = line;
    const fault = sort === "fault";
    const from = fault ? (faults[nth] ?? 0) + 1 : notes.findIndex((note) => note.at_us === at_us);
    if (fault) nth += 1;
    // What a trap does at once is one blow.
    if (at_us - stroke_us > at_once_us) stroke_us = at_us;
    const key = fault ? `fault ${nth}` : `stroke ${stroke_us}`;
    const before = blows.get(key);
    const text = before === undefined ? said(line) : `${before.text} and ${said(line)}`;
    blows.set(key, { at_us, text, lengths: lengthsOf(notes, from, line) });
  }
  return [...blows.values()].map(({ at_us, text, lengths }) => ({
    at_us,
    text: [text, ...lengths].join(", "),
  }));
}

const said = ({ lane, text }: Moment): string =>
  lane === "between" ? text : `${laneName(lane)} ${text}`.replace(" etcd ended: killed", "'s etcd is killed");

/** `from` is the first line that tells what the blow did. */
function lengthsOf(notes: readonly Note[], from: number, { at_us, sort }: Moment): readonly string[] {
  // What is off can't be cut off once more.
  if (sort === "fault" && notes[from]?.at_us !== at_us) return ["which changes nothing at once"];
  const lengths = openedBy(notes, from, at_us).map((opened) => lengthOf(notes, opened));
  return [...new Set(lengths)].filter((length) => length !== "");
}

/** Something that is out of order from here on, and how its end reads in the trace. */
interface Opened {
  readonly at: number;
  readonly word: string;
  readonly ends: (note: Note) => boolean;
}

function openedBy(notes: readonly Note[], from: number, at_us: number): readonly Opened[] {
  const opened: Opened[] = [];
  for (let at = from; at < notes.length; at += 1) {
    const note = notes[at];
    if (note === undefined || note.at_us !== at_us || note.kind === "storm") break;
    const found = opens(note);
    if (found !== undefined) opened.push({ ...found, at });
  }
  return opened;
}

function opens({ kind, cells: [a, b, c] }: Note): Omit<Opened, "at"> | undefined {
  if (kind === "wire.cut")
    return {
      word: "for",
      ends: (n) => n.kind === "wire.heal" && n.cells[0] === a && n.cells[1] === b && n.cells[2] === c,
    };
  if (kind === "bmc.fault" && b !== "no fault")
    return { word: "for", ends: (n) => n.kind === "bmc.fault" && n.cells[0] === a };
  if (kind !== "machine") return undefined;
  const same = (n: Note, ...what: readonly string[]) =>
    n.kind === "machine" && n.cells[0] === a && what.includes(String(n.cells[1]));
  if (b === "hangs") return { word: "for", ends: (n) => same(n, "goes on", "lost its power") };
  if (b === "lost its power" || b === "shuts down")
    return { word: `${nameOf(Number(a))} on again after`, ends: (n) => same(n, "has power") };
  return undefined;
}

function lengthOf(notes: readonly Note[], { at, word, ends }: Opened): string {
  const begun_us = notes[at]?.at_us ?? 0;
  const end = notes.find((note, next) => next > at && ends(note));
  return end === undefined ? "" : `${word} ${((end.at_us - begun_us) / 1e6).toFixed(0)} s`;
}

/** What else the dice did, by their labels; the faults themselves are not among them. */
const small: Readonly<Record<string, readonly [one: string, many: string]>> = {
  "wire.fate": ["message lost, doubled or late", "messages lost, doubled or late"],
  "disk.slow-sync": ["slow sync", "slow syncs"],
  "disk.survived": ["power cut that spares unsynced data", "power cuts that spare unsynced data"],
  "etcd.slow-apply": ["entry applied slowly", "entries applied slowly"],
  "etcd.deaf": ["etcd deaf to SIGTERM", "etcds deaf to SIGTERM"],
  "pacemaker.notify-lost": ["notification lost", "notifications lost"],
  "pacemaker.notify-late": ["notification late", "notifications late"],
  "pacemaker.dc": ["choice of the other coordinator", "choices of the other coordinator"],
};

/** The kind of storm, where it is not the plain one. */
export function settingOf(notes: readonly Note[]): string | undefined {
  const name = notes.find(({ kind }) => kind === "storm.kind")?.cells[0];
  return name === undefined || name === "plain" ? undefined : String(name);
}

export function besides(choices: readonly Choice[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { label } of choices)
    if (!label.startsWith("storm.")) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts].map(([label, count]) => {
    const [one, many] = small[label] ?? [label, label];
    return `${count} ${count === 1 ? one : many}`;
  });
}
