import type { AdminWord } from "./admin.ts";
import { hanging, seconds } from "./lines.ts";
import type { PlacedWord } from "./timeline.ts";

/** The whole of it, and what was shown, is in the JSON. */
const why_lines_max = 2;
const said_lines_max = 3;

/** Of one failover, on its own clock. */
export function drawPlaced(words: readonly PlacedWord[], more: number, width: number): readonly string[] {
  if (words.length === 0) return [];
  const heads = words.map(({ at_ms }) => seconds(at_ms));
  return ["Said by an admin:", ...rows(words, heads, more, width), ""];
}

/** By the wall clocks: nothing happened from which the time could be counted. */
export function drawWords(words: readonly AdminWord[], more: number, columns: number): string {
  if (words.length === 0) return "";
  const heads = words.map(({ at }) => at.slice(0, "2026-01-01T00:00:00".length).replace("T", " "));
  const lines = rows(words, heads, more, columns);
  return `${["Said by an admin, outside any failover (UTC, by the clock of the machine):", ...lines].join("\n")}\n`;
}

function rows(
  words: readonly AdminWord[],
  times: readonly string[],
  more: number,
  width: number,
): readonly string[] {
  const time_width = Math.max(11, ...times.map(({ length }) => length));
  const machine_width = Math.max(...words.map(({ machine }) => machine.length));
  const lines = words.flatMap((word, index) => {
    const head = `${(times[index] ?? "").padStart(time_width)}  ${word.machine.padEnd(machine_width)}  `;
    return [
      ...hanging(head, `${word.who}: ${word.said}`, width, said_lines_max),
      ...hanging(" ".repeat(head.length), becameOf(word), width, why_lines_max),
    ];
  });
  return more === 0 ? lines : [`${" ".repeat(time_width)}  … ${more} earlier`, ...lines];
}

const texts: Readonly<Record<AdminWord["outcome"], string>> = {
  accepted: "accepted",
  refused: "refused",
  "not confirmed": "not confirmed at the prompt",
  "not done": "accepted, and not done",
  "serves already": "not needed: the machine served already",
};

function becameOf({ outcome, code, why }: AdminWord): string {
  const by = code === undefined ? "" : ` (${code})`;
  return `→ ${texts[outcome]}${by}${why === undefined ? "" : `: ${why}`}`;
}
