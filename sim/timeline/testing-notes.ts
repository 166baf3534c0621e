import { type Cell, type Note, Trace, traceKind } from "../kernel/trace.ts";

/** A line of a trace as tests write it. */
export type Line = readonly [seconds: number, kind: string, ...cells: Cell[]];

export function notesOf(...lines: readonly Line[]): readonly Note[] {
  const trace = new Trace(true);
  for (const [seconds, kind, a, b, c] of lines)
    trace.note(
      Math.round(seconds * 1e6),
      traceKind(kind, (...all) => `${kind} ${all.join(" ")}`),
      a,
      b,
      c,
    );
  return [...trace.notes()];
}
