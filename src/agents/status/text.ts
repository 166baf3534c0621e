import { lineageText } from "../../decide/rule.ts";
import { apiText } from "./api.ts";
import { labelled, moment, span, table, wrap } from "./layout.ts";
import { pageCommand } from "./page.ts";
import { testText } from "./proof.ts";
import type { Known } from "./report.ts";
import { valueOf } from "./report.ts";
import { versionsText } from "./versions.ts";
import type { FencingStatus, MachineStatus, Status, Whole, Wrong } from "./status.ts";
import { isOnline } from "./wrong.ts";

export type Style = "bold" | "green" | "yellow" | "red" | "dim";
/** Adds colour where there is a terminal; without it nothing is lost but the colour. */
export type Paint = (style: Style, text: string) => string;

const indent = 12;
const colours: Readonly<Record<Whole, Style>> = {
  "1+1": "green",
  "1+0": "yellow",
  "0": "red",
  unknown: "yellow",
};

/** One screen. `width`: of the terminal. */
export function statusText(status: Status, width: number, paint: Paint): string {
  const { machines, at_ms } = status;
  const seen = status.from === null ? "seen over ssh" : `seen from ${status.from}`;
  const clock = new Date(at_ms).toISOString().slice(11, 19);
  const lines = [
    `${paint("bold", `site ${status.site}`)}  ${paint(colours[status.whole], headOf(status.whole))}  ${paint("dim", `${seen}, ${clock} UTC`)}`,
    ...wrap(`${status.sentence}.`, width),
    "",
    ...table(rowsOf(status), indent, width).map((line, index) => (index === 0 ? paint("bold", line) : line)),
    "",
    ...labelled("serves", servesText(status), indent, width),
    ...labelled(
      "lineage",
      status.lineage === null ? "unknown: nobody that could be asked serves" : lineageText(status.lineage),
      indent,
      width,
    ),
    ...labelledIf("etcd", versionsText(status), width),
    ...(status.learner === null ? [] : labelled("learner", learnerText(status), indent, width)),
    ...(status.api === null ? [] : labelled("API", apiText(status.api), indent, width)),
    ...labelled("last fence", lastFenceText(status), indent, width),
    ...status.fencing.flatMap((each, index) =>
      labelled(index === 0 ? "fencing" : "", fencingText(each, status), indent, width),
    ),
    ...(status.noOutlet.length === 0
      ? []
      : labelled("power feed", noOutletText(status.noOutlet), indent, width)),
    ...(status.alone === null ? [] : labelled("alone", status.alone, indent, width)),
    ...machines.flatMap((each) => labelled(each.name, saysText(each), indent, width)),
    ...alertLines(status, width),
    ...unknownLines(status, width),
    "",
    ...wrongLines(status.wrong, width, paint),
  ];
  return `${lines.join("\n")}\n`;
}

const labelledIf = (label: string, text: string | undefined, width: number): readonly string[] =>
  text === undefined ? [] : labelled(label, text, indent, width);

const headOf = (whole: Whole): string =>
  whole === "0" ? "0: NOBODY SERVES" : whole === "unknown" ? "unknown" : whole;

const orUnknown = <T>(each: Known<T>, text: (value: T) => string): string =>
  each.known ? text(each.value) : "unknown";

function rowsOf({ machines, from }: Status): readonly (readonly [string, ...string[]])[] {
  const row = (label: string, cell: (machine: MachineStatus) => string): readonly [string, ...string[]] => [
    label,
    ...machines.map(cell),
  ];
  return [
    row("", ({ name }) => (name === from ? `${name} (here)` : name)),
    row("power", ({ power }) => orUnknown(power, (value) => value)),
    row("cluster", clusterText),
    row("etcd", ({ etcd, full }) =>
      orUnknown(etcd, ({ role, led, version }) =>
        [
          led || role === "down" ? role : `${role}, no leader`,
          ...(role === "down" ? [] : [orUnknown(full, (value) => (value ? "full" : "not full"))]),
          ...(version === null ? [] : [role === "down" ? `${version} installed` : version]),
        ].join(", "),
      ),
    ),
    row("data", ({ lineage }) => orUnknown(lineage, (value) => lineageText(value ?? undefined))),
    ...(from === null ? [row("duet", ({ duet }) => duet ?? "unknown")] : []),
  ];
}

function clusterText({ corosync, pacemaker }: MachineStatus): string {
  const words: Readonly<Record<string, string>> = {
    member: "",
    alone: "inert: waits for its peer",
    "no quorum": "inert: no quorum",
    "not a member": "not in the cluster",
  };
  const own = orUnknown(corosync, (value) => words[value] ?? value);
  const manager = orUnknown(pacemaker, (value) => value);
  if (own === "") return manager === "unknown" ? "member; Pacemaker unknown" : manager;
  return manager === "offline" || manager === "online" ? own : `${own}; Pacemaker: ${manager}`;
}

function servesText({ serves, leader }: Status): string {
  if (serves.length === 0) return "nobody that could be asked";
  const led = leader === null ? "" : `; ${leader} leads`;
  return serves.length === 2
    ? `${serves.join(" and ")}, each write is on both${led}`
    : `${serves.join("")}, alone${led}`;
}

function learnerText({ learner }: Status): string {
  if (learner === null) return "";
  const { machine, index, of, bytes, of_bytes } = learner;
  const whole = of_bytes === null ? "" : ` of ${megabytes(of_bytes)}`;
  if (bytes !== null)
    return `${machine} receives a copy: ${megabytes(bytes)}${whole}${of_bytes === null ? "" : ` (${share(bytes, of_bytes)})`}`;
  if (index === null)
    return `${machine} joins; its etcd does not tell yet how far it is${whole && `; it needs a copy${whole}`}`;
  if (of === null || of === 0) return `${machine} is at entry ${index}`;
  return `${machine} is at entry ${index} of ${of} (${share(index, of)})`;
}

const share = (part: number, whole: number): string =>
  `${whole === 0 ? 100 : Math.min(100, Math.floor((100 * part) / whole))} %`;
const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

function lastFenceText({ lastFence, at_ms }: Status): string {
  if (!lastFence.known) return "unknown";
  if (lastFence.value === null) return "none, as far as the records go";
  const { by, target, at_ms: when, result, why } = lastFence.value;
  if (result === "pending") return `${by} is asked to switch ${target} off, and has not done it yet`;
  return result === "success"
    ? `${by} switched ${target} off, Off confirmed, ${moment(when, at_ms)}`
    : `${by} could not switch ${target} off, ${moment(when, at_ms)}${why && `: ${why}`}`;
}

function fencingText(fencing: FencingStatus, { machines, at_ms: now_ms }: Status): string {
  const { by, target, proven, why, lastOff_ms } = fencing;
  const off = valueOf(lastOff_ms);
  const last =
    off === undefined ? "" : `; for real ${off === null ? "never, by its record" : moment(off, now_ms)}`;
  const real = `${testText(fencing, now_ms)}${last}`;
  if (!proven.known) return `can ${by} fence ${target}? unknown${real}`;
  const here = isOnline(machines.find(({ name }) => name === by));
  if (proven.value === null) return `${by} -> ${target}: ${here ? "NOT PROVEN" : "not now"}: ${why}${real}`;
  const { since_ms, every_s } = proven.value;
  return `${by} -> ${target}: proven by login and a look at the power each ${every_s} s, for ${span(now_ms - since_ms)} now${real}`;
}

/** Said while all is well: then there is time to change it. */
const noOutletText = (names: readonly string[]): string =>
  `${names.join(" and ")} can't be fenced by a PDU outlet: if machine and BMC lose power together nobody can prove Off, and a person is needed`;

function saysText({ name, says, pacemaker, reported }: MachineStatus): string {
  if (valueOf(pacemaker) === "standby") return "it is on standby, and decides nothing";
  const saying = valueOf(says);
  if (saying === undefined) return "what it goes by is unknown";
  if (saying === null)
    return reported.known
      ? "it has decided nothing since it booted"
      : `what it goes by is told by \`duet status\` on ${name}`;
  const when = saying.ago_ms === null ? ", its last word here" : `, ${span(saying.ago_ms)} ago`;
  return `${saying.sentence} (${saying.rule}${when})`;
}

/** Nothing where nobody is told and nothing was ever sent. */
function alertLines({ alerts, at_ms }: Status, width: number): readonly string[] {
  const lines = Object.entries(alerts).flatMap(([name, told]) =>
    (told?.ways ?? []).map(({ name: way, sent_ms, failed, given_up }) =>
      [
        `${name} by ${way}: ${sent_ms === null ? "never sent" : `last sent ${moment(sent_ms, at_ms)}`}`,
        ...(failed === null ? [] : [`last failed ${moment(failed.at_ms, at_ms)}: ${failed.why}`]),
        ...(given_up === 0 ? [] : [`${given_up} never delivered`]),
      ].join("; "),
    ),
  );
  return lines.flatMap((line, index) => labelled(index === 0 ? "alerts" : "", line, indent, width));
}

/** Why something above is unknown; each reason once. */
function unknownLines({ machines, lastFence, fencing, from }: Status, width: number): readonly string[] {
  const found = new Map<string, Set<string>>();
  const add = (what: string, each: Known<unknown>) => {
    if (!each.known) found.set(each.why, (found.get(each.why) ?? new Set()).add(what));
  };
  for (const { name, reported, power, corosync, pacemaker, etcd, lineage, full, says } of machines) {
    // A machine can't ask its peer all that the peer could tell: that is no news.
    if (from === null) add(`${name} itself`, reported);
    const parts = { power, Corosync: corosync, Pacemaker: pacemaker, etcd, data: lineage, full, agent: says };
    for (const [part, each] of Object.entries(parts)) add(`${name}'s ${part}`, each);
  }
  add("the last fence", lastFence);
  for (const { target, proven } of fencing) add(`fencing of ${target}`, proven);
  if (found.size === 0) return [];
  const lines = [...found].flatMap(([why, what]) =>
    labelled("", `${[...what].join(", ")}: ${why}`, indent, width),
  );
  return ["", "not known", ...lines];
}

function wrongLines(wrong: readonly Wrong[], width: number, paint: Paint): readonly string[] {
  if (wrong.length === 0) return [paint("green", "Nothing is wrong.")];
  return wrong.flatMap(({ code, where, what, fix }, index) => [
    ...(index === 0 ? [paint("red", "What is wrong, and what to do")] : []),
    ...labelled(" !", `${where}: ${what}`, 3, width),
    ...labelled("", `${fix}.`, 5, width),
    ...labelled("", pageCommand(code), 5, width),
  ]);
}
