/** A file's lines taken apart: what is said, and the comment behind it. */

export interface Line {
  readonly number: number;
  /** Without comment and spaces around it; empty where the line has none. */
  readonly said: string;
  /** Where `said` begins, counted from 1. */
  readonly column: number;
  /** Without its `#` and spaces; undefined where there is none. */
  readonly comment: string | undefined;
}

export function linesOf(text: string): readonly Line[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line, index) => {
    const end = commentStart(line);
    const before = end === undefined ? line : line.slice(0, end);
    return {
      number: index + 1,
      said: before.trim(),
      column: before.length - before.trimStart().length + 1,
      comment: end === undefined ? undefined : line.slice(end + 1).trim(),
    };
  });
}

/** The first `#` that is not inside double quotes. */
function commentStart(line: string): number | undefined {
  let quoted = false;
  for (let index = 0; index < line.length; index += 1) {
    if (line[index] === '"') quoted = !quoted;
    if (line[index] === "#" && !quoted) return index;
  }
  return undefined;
}

/** The column of a line's word, counted from 0, in what is said. */
export function columnOfWord({ said, column }: Line, word: number): number {
  const starts = [...said.matchAll(/\S+/g)].map((found) => found.index);
  return column + (starts[word] ?? said.length);
}
