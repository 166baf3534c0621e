/** A space at which no line is broken. */
export const glue = "\u00a0";

/** Lines no longer than this, broken between words; a word that is longer stands alone. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/[ \n]+/).filter((each) => each !== "")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((each) => each.replaceAll(glue, " "));
}

/** `label` in front of the first line, the others below it. */
export function labelled(label: string, text: string, indent: number, width: number): readonly string[] {
  return wrap(text, width - indent).map(
    (line, index) => `${(index === 0 ? label : "").padEnd(indent)}${line}`,
  );
}

/** Rows of cells side by side, each wrapped in its own column. The first cell is the row's name. */
export function table(
  rows: readonly (readonly [string, ...string[]])[],
  indent: number,
  width: number,
): readonly string[] {
  const columns = Math.max(1, ...rows.map((row) => row.length - 1));
  const cell_width = Math.floor((width - indent) / columns);
  return rows.flatMap(([label, ...cells]) => {
    const wrapped = cells.map((cell) => wrap(cell, cell_width - 2));
    const height = Math.max(...wrapped.map((lines) => lines.length));
    return Array.from({ length: height }, (_, at) =>
      `${(at === 0 ? label : "").padEnd(indent)}${wrapped.map((lines) => (lines[at] ?? "").padEnd(cell_width)).join("")}`.trimEnd(),
    );
  });
}

/** `12 s`, `3 min`, `5 h`, `9 days`: as exact as a person needs it. */
export function span(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 100) return `${s}${glue}s`;
  if (s < 100 * 60) return `${Math.round(s / 60)}${glue}min`;
  if (s < 48 * 3600) return `${Math.round(s / 3600)}${glue}h`;
  return `${Math.round(s / 86_400)}${glue}days`;
}

/** `2026-11-15 17:43:39 UTC (8 min ago)`. */
export function moment(at_ms: number, now_ms: number): string {
  const text = new Date(at_ms).toISOString().slice(0, 19).replace("T", " ");
  return `${text}${glue}UTC (${span(now_ms - at_ms)}${glue}ago)`;
}
