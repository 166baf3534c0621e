import { nameOf } from "../agents/names.ts";
import { escape } from "./escape.ts";
import { laneName, type Moment } from "./moment.ts";
import { type Scale, scaleOf } from "./page-scale.ts";
import { type Row, rows } from "./spans.ts";
import type { Story } from "./story.ts";

const width = 1120;
const left = 150;
const right = width - 16;
const top = 46;
const row_height = 24;
/** A little of the time before the first fault. */
const before_us = 2_000_000;
/** The time of a fault is not written where the next one stands so close. */
const label_width = 52;

const labels: Readonly<Record<Row, string>> = {
  machine0: `${nameOf(0)}: machine`,
  duet0: `${nameOf(0)}: duet`,
  etcd0: `${nameOf(0)}: etcd`,
  link0: "link 0 (etcd's)",
  link1: "link 1",
  management: "management wire",
  bmc0: `${nameOf(0)}'s BMC`,
  bmc1: `${nameOf(1)}'s BMC`,
  etcd1: `${nameOf(1)}: etcd`,
  duet1: `${nameOf(1)}: duet`,
  machine1: `${nameOf(1)}: machine`,
};

/** Bars for how things stood, marks for what was seen and decided, on one scale of time. */
export function chartOf(story: Story): string {
  const from_us = Math.max(0, story.zero_us - before_us);
  const told = story.moments.filter(({ at_us, level }) => level <= 1 && at_us >= from_us);
  const edges = story.spans.flatMap(({ from_us: begin_us, to_us }) => [begin_us, to_us]);
  const scale = scaleOf([...told.map(({ at_us }) => at_us), ...edges], {
    from_us,
    to_us: Math.max(story.end_us, from_us + 1),
    left,
    right,
  });
  const height = top + rows.length * row_height + 8;
  const parts = [
    ...rows.map((row) => rowLine(row)),
    ...scale.breaks.map((each) => breakBand(each, height)),
    ...barsOf(story, scale, from_us),
    ...acksOf(story, scale, from_us),
    ...faultLines(story, scale, height),
    ...told.flatMap((moment) => markOf(moment, story, scale)),
    ...violationLine(story, scale, height),
  ];
  return `<svg viewBox="0 0 ${width} ${height}" role="group" aria-label="how things stood, over time">${parts.join("")}</svg>`;
}

const yOf = (row: Row): number => top + rows.indexOf(row) * row_height;
const fixed = (value: number): string => value.toFixed(1);

const rowLine = (row: Row): string =>
  `<text class="label" x="${left - 10}" y="${yOf(row) + 16}">${escape(labels[row])}</text>` +
  `<line class="rail" x1="${left}" x2="${right}" y1="${yOf(row) + 12}" y2="${yOf(row) + 12}"/>`;

const breakBand = ({ from, to, seconds }: Scale["breaks"][number], height: number): string =>
  `<rect class="break" x="${fixed(from)}" y="${top - 4}" width="${fixed(to - from)}" height="${height - top}"/>` +
  `<text class="quiet" x="${fixed((from + to) / 2)}" y="${top - 8}">${seconds} s</text>`;

/** Something that says more when it is pointed at or reached by keyboard. */
const speaking = (text: string, inner: string): string =>
  `<g tabindex="0" role="img" aria-label="${escape(text)}"><title>${escape(text)}</title>${inner}</g>`;

const barsOf = ({ spans, zero_us }: Story, { x }: Scale, from_us: number): readonly string[] =>
  spans
    .filter(({ to_us }) => to_us > from_us)
    .map(({ row, state, from_us: begin_us, to_us, text }) => {
      const begin = x(Math.max(begin_us, from_us));
      const end = x(to_us);
      const said = `${text}: ${seconds(begin_us - zero_us)} to ${seconds(to_us - zero_us)}`;
      return speaking(
        said,
        `<rect class="bar ${state}" x="${fixed(begin)}" y="${yOf(row) + 4}" width="${fixed(Math.max(1.5, end - begin))}" height="16" rx="2"/>`,
      );
    });

/** Acknowledged writes: a tick at the machine that answered, where no other stands already. */
function acksOf({ acks }: Story, { x }: Scale, from_us: number): readonly string[] {
  const places = new Set<string>();
  for (const { at_us, machine } of acks)
    if (at_us >= from_us) places.add(`${machine} ${Math.round(x(at_us) / 2) * 2}`);
  return [...places].map((place) => {
    const [machine, at = "0"] = place.split(" ");
    const y = yOf(machine === "0" ? "etcd0" : "etcd1") + 8;
    return `<line class="ack" x1="${at}" x2="${at}" y1="${y}" y2="${y + 8}"/>`;
  });
}

function faultLines({ blows, zero_us }: Story, { x }: Scale, height: number): readonly string[] {
  return blows.map(({ at_us, text }, nth) => {
    const at = x(at_us);
    const next = blows[nth + 1];
    const roomy = (next === undefined ? right : x(next.at_us)) - at >= label_width;
    const time = roomy
      ? `<text class="when" x="${fixed(at + 11)}" y="16">${seconds(at_us - zero_us)}</text>`
      : "";
    return speaking(
      `${nth + 1}. ${seconds(at_us - zero_us)}: ${text}`,
      `<line class="fault" x1="${fixed(at)}" x2="${fixed(at)}" y1="20" y2="${height - 4}"/>` +
        `<circle class="fault" cx="${fixed(at)}" cy="12" r="9"/><text class="nth" x="${fixed(at)}" y="16">${nth + 1}</text>${time}`,
    );
  });
}

function markOf(moment: Moment, { zero_us }: Story, { x }: Scale): readonly string[] {
  const { lane, sort, at_us, text, rule } = moment;
  if (lane === "between" || !["rule", "fence", "membership"].includes(sort)) return [];
  const at = x(at_us);
  const y = yOf(lane === 0 ? "duet0" : "duet1") + 12;
  const said = `${laneName(lane)}, ${seconds(at_us - zero_us)}: ${text}${rule === undefined ? "" : ` [${rule}]`}`;
  const shape =
    sort === "rule"
      ? `<circle class="mark rule" cx="${fixed(at)}" cy="${y}" r="5"/>`
      : `<rect class="mark ${sort}" x="${fixed(at - 4.5)}" y="${y - 4.5}" width="9" height="9"/>`;
  return [speaking(said, shape)];
}

function violationLine({ broken, zero_us }: Story, { x }: Scale, height: number): readonly string[] {
  if (broken === undefined) return [];
  const at = fixed(x(broken.at_us));
  return [
    speaking(
      `${seconds(broken.at_us - zero_us)}: ${broken.check}: ${broken.what}`,
      `<line class="violation" x1="${at}" x2="${at}" y1="24" y2="${height - 4}"/><text class="bang" x="${at}" y="20">✗</text>`,
    ),
  ];
}

const seconds = (us: number): string => `${(us / 1e6).toFixed(1)} s`;
