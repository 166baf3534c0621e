import { drawPlaced } from "./draw-words.ts";
import { seconds, short, wrapped } from "./lines.ts";
import type { Failover, LinedUp, Phase } from "./timeline.ts";

export const columns_min = 80;
export const columns_max = 120;

export interface Look {
  readonly columns: number;
  /** As it is where nobody looks at a terminal. */
  readonly bold: (text: string) => string;
}

/** As wide as text reads well in. */
export const widthFor = (columns: number): number => Math.min(Math.max(columns, columns_min), columns_max);

/** A failover as a picture for a terminal: phases as bars, then the rules that decided each turn. */
export function draw(failover: Failover, { columns, bold }: Look): string {
  const width = widthFor(columns);
  const lines = [
    ...wrapped(title(failover), width, 0).map(bold),
    `0 s is ${failover.at.replace("T", " ").replace("Z", " UTC")}, by the clock of ${failover.survivor}.`,
    "",
    ...bars(failover, width),
    "",
    ...rules(failover, width, bold),
    ...drawPlaced(failover.words, failover.words_more, width),
    ...unended(failover, width),
    ...failover.clocks.flatMap((clock) => wrapped(clockText(clock, failover.survivor), width, 0)),
    ...failover.missing.flatMap((each) => wrapped(`Missing: ${each}.`, width, 0)),
  ];
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

function title({ survivor, gone, epoch, phases }: Failover): string {
  const gap = phases.find(({ name }) => name === "first write served")?.at_ms;
  if (epoch === undefined) return `${survivor} lost ${gone}, and did not take over`;
  const after =
    gap === undefined ? "" : `; writes were answered again ${seconds(gap)} after the loss was seen`;
  return `${survivor} took over from ${gone}, as epoch ${epoch}${after}`;
}

const name_width = 18;
const time_width = 11;

/** Each bar reaches from the phase before to this one, on one scale. */
function bars({ phases }: Failover, width: number): readonly string[] {
  const known = phases.flatMap(({ at_ms }) => (at_ms === undefined ? [] : [at_ms]));
  const [first, last] = [Math.min(...known, 0), Math.max(...known, 1)];
  const room = width - name_width - 2 * time_width - 2;
  const cell = (at_ms: number) => Math.round(((at_ms - first) / (last - first)) * (room - 1));
  const lines = [`${"phase".padEnd(name_width)}${"at".padStart(time_width)}${"took".padStart(time_width)}`];
  let before: number | undefined;
  for (const phase of asTheyCame(phases)) {
    lines.push(bar(phase, before, cell, room));
    before = phase.at_ms ?? before;
  }
  return lines;
}

/** A peer can be powered on before the first write is answered. A phase that is not known stays behind its forerunner. */
function asTheyCame(phases: readonly Phase[]): readonly Phase[] {
  let last_ms = Number.NEGATIVE_INFINITY;
  const placed = phases.map((phase) => {
    last_ms = phase.at_ms ?? last_ms;
    return { phase, at_ms: last_ms };
  });
  return placed.toSorted((one, other) => one.at_ms - other.at_ms).map(({ phase }) => phase);
}

function bar(
  { name, at_ms, note }: Phase,
  before: number | undefined,
  cell: (at_ms: number) => number,
  room: number,
): string {
  const label = name.padEnd(name_width);
  if (at_ms === undefined)
    return `${label}${"-".padStart(time_width)}${" ".repeat(time_width)}  ${short(note ?? "did not happen, or was not seen", room)}`;
  const took = before === undefined ? "" : seconds(at_ms - before);
  const [from, to] = [cell(Math.min(before ?? at_ms, at_ms)), cell(at_ms)];
  const drawn = `${" ".repeat(from)}${"█".repeat(to - from)}▏`;
  return `${label}${seconds(at_ms).padStart(time_width)}${took.padStart(time_width)}  ${beside(drawn, note, from, room)}`;
}

/** A note stands behind the bar, or in the blank before it, or it is cut. */
function beside(drawn: string, note: string | undefined, blank: number, room: number): string {
  if (note === undefined) return drawn;
  const left = room - drawn.length - 1;
  if (note.length > left && note.length < blank) return `${note.padStart(blank - 1)} ${drawn.slice(blank)}`;
  return left < 4 ? drawn : `${drawn} ${short(note, left)}`;
}

function rules({ turns, turns_more }: Failover, width: number, bold: Look["bold"]): readonly string[] {
  if (turns.length === 0) return ["No decision is recorded.", ""];
  const machines = Math.max(...turns.map(({ machine }) => machine.length));
  const lines = turns.flatMap(({ at_ms, machine, question, rule, decision, sentence }) => {
    const head = `${seconds(at_ms).padStart(time_width)}  ${machine.padEnd(machines)}  `;
    const what = `${head}${bold(rule)} → ${decision}  (${question})`;
    return [what, ...wrapped(sentence, width, head.length)];
  });
  const more = turns_more === 0 ? [] : [`${" ".repeat(time_width)}  … and ${turns_more} more turns`];
  return ["By these rules:", ...lines, ...more, ""];
}

function unended({ cutShort }: Failover, width: number): readonly string[] {
  const lines = cutShort.flatMap(({ at_ms, machine, step }) =>
    wrapped(`${seconds(at_ms)}: ${machine} began "${step}", and no end of it is recorded.`, width, 0),
  );
  return lines.length === 0 ? [] : [...lines, ""];
}

function clockText({ machine, how, within_ms, wall_ms, from_ms, to_ms }: LinedUp, survivor: string): string {
  const which = `${machine}'s times ${to_ms <= 0 ? "before the loss" : `from ${seconds(from_ms)} on`}`;
  if (how === "the wall clocks")
    return `${which} are by the wall clocks alone: they may be off by any amount.`;
  const exact =
    within_ms === undefined ? "how exactly can't be told" : `at most ${seconds(Math.max(within_ms, 1))} off`;
  const apart = Math.abs(wall_ms) < 1 ? "" : ` (the wall clocks were ${seconds(Math.abs(wall_ms))} apart)`;
  return `${which} are lined up with ${survivor}'s by what both saw, ${exact}${apart}.`;
}
