import { chooseMoments } from "./choose.ts";
import { laneName, type Moment } from "./moment.ts";
import type { Story } from "./story.ts";

const width = 118;
const lines_max_default = 42;
/** Where the words of each lane begin: the left is a's, the right is b's. */
const at = { between: 14, 0: 17, 1: 43 } as const;
const sign: Readonly<Partial<Record<Moment["sort"], string>>> = {
  fault: "✗",
  violation: "✗✗",
  mended: "✓",
  writes: "~",
};

/** The faults, numbered, each with its distance from the one before. */
export function scheduleText({ setting, blows, besides }: Story): readonly string[] {
  const lines = blows.map(({ at_us, text }, nth) => {
    const before = blows[nth - 1];
    const later = before === undefined ? "" : `${((at_us - before.at_us) / 1e6).toFixed(1)} s later `;
    return `${String(nth + 1).padStart(3)}. ${later}${text}`;
  });
  const first = setting === undefined ? [] : [`     the storm: ${setting}`];
  const rest = besides.length === 0 ? [] : [`     besides: ${besides.join(", ")}`];
  return [...first, ...lines, ...rest];
}

/** The timeline in lanes: time, acknowledged writes since the line above, one machine's words on the left, the other's on the right. */
export function timelineText(story: Story, lines_max = lines_max_default): readonly string[] {
  const lines = (kept: readonly Moment[]) => linesOf(story, kept);
  const chosen = chooseMoments(story.moments, (kept) => lines(kept).length <= lines_max);
  const hidden = story.moments.length - chosen.length;
  const rest = hidden === 0 ? [] : ["", `  (${hidden} lesser lines are left out)`];
  return [...lines(chosen), ...rest];
}

function linesOf(story: Story, moments: readonly Moment[]): readonly string[] {
  let from_us = story.zero_us;
  return moments.flatMap((moment, nth) => {
    const acks = story.acks.filter(({ at_us }) => at_us >= from_us && at_us < moment.at_us).length;
    from_us = Math.max(from_us, moment.at_us);
    const made = momentLines(moment, story.zero_us, acks);
    return moment.sort === "fault" && nth > 1 ? ["", ...made] : made;
  });
}

function momentLines(moment: Moment, zero_us: number, acks: number): readonly string[] {
  const { at_us, lane, sort, text, rule } = moment;
  const time = ((at_us - zero_us) / 1e6).toFixed(2).padStart(8);
  const head = `${time} ${acks === 0 ? "" : `+${acks}`}`;
  const indent = at[lane];
  const mark = lane === "between" ? (sign[sort] ?? "·").padEnd(2) : `${laneName(lane)}:`;
  const words = wrap(rule === undefined ? text : `${text} [${rule}]`, width - indent - mark.length - 1);
  return words.map((line, nth) =>
    nth === 0 ? `${head.padEnd(indent)}${mark} ${line}` : `${" ".repeat(indent + mark.length + 1)}${line}`,
  );
}

function wrap(text: string, columns: number): readonly string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && last.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines;
}
