/** Milliseconds matter here. */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(3)} s`;

export const short = (text: string, room: number): string =>
  text.length <= room ? text : `${text.slice(0, Math.max(0, room - 1))}…`;

/** Words of a sentence in lines of this width, all indented. */
export function wrapped(text: string, width: number, indent: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && indent + line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((each) => `${" ".repeat(indent)}${each}`);
}

/** The same, behind a head of its own on the first line, and in no more lines than this. */
export function hanging(head: string, text: string, width: number, lines_max: number): readonly string[] {
  const lines = wrapped(text, width, head.length);
  const kept = lines.slice(0, lines_max).map((line, index) => (index === 0 ? head + line.trimStart() : line));
  const last = kept.at(-1);
  if (lines.length <= lines_max || last === undefined) return kept;
  return [...kept.slice(0, -1), `${last.slice(0, width - 1)}…`];
}
