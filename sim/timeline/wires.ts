import { byTime, type Pass } from "./echoes.ts";
import type { Moment } from "./moment.ts";

const isWay = ({ sort, more }: Moment): boolean =>
  (sort === "wire" || sort === "mended") && /^(link \d|the \w+ wire)$/.test(more?.[0] ?? "");

/** Each direction of each wire has a line of its own in the trace; a person thinks of wires. */
export const wholeWires: Pass = (moments) =>
  byTime(moments).flatMap((group) => {
    const made = (["wire", "mended"] as const).flatMap((sort) => {
      const ways = group.filter((moment) => moment.sort === sort && isWay(moment));
      const [first] = ways;
      if (first === undefined) return [];
      const more = ways.map(({ text, more: [wire = ""] = [] }) => `${wire}: ${text}`);
      return [{ at: group.indexOf(first), moment: { ...first, text: sentence(ways), more } }];
    });
    return group.flatMap((moment, at) => {
      const one = made.find((each) => each.at === at);
      return one !== undefined ? [one.moment] : isWay(moment) ? [] : [moment];
    });
  });

function sentence(ways: readonly Moment[]): string {
  const wires = [...new Set(ways.map(({ more }) => more?.[0] ?? ""))];
  const parts = wires.map((wire) => {
    const texts = ways.filter(({ more }) => more?.[0] === wire).map(({ text }) => text);
    const [only = ""] = texts;
    if (wire.startsWith("link")) return texts.length === 1 ? `${wire} from ${only}` : wire;
    const ends = texts.map((text) => text.split(" to "));
    const whose = ends[0]?.find((end) => ends.every((pair) => pair.includes(end)));
    return whose === undefined ? wire : `the management port of ${whose}`;
  });
  const many = parts.length > 1;
  const what = ways[0]?.sort === "wire" ? (many ? "are cut" : "is cut") : many ? "work again" : "works again";
  return `${parts.join(" and ")} ${what}`;
}
