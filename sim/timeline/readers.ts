import { plainTables } from "../../src/decide/print.ts";
import { nameOf } from "../agents/names.ts";
import type { Cell, Note } from "../kernel/trace.ts";
import { faultWords } from "./fault-words.ts";
import { closer, type Lane, laneOf, type Level, type Moment, type Sort } from "./moment.ts";
import { endName, linkName, type Members, memberNames, named } from "./names.ts";

type Read = Omit<Moment, "at_us" | "kind"> | undefined;
type Reader = (cells: Note["cells"], members: Members) => Read;

const said = (lane: Lane, sort: Sort, level: Level, text: string, more?: readonly string[]): Read => ({
  lane,
  sort,
  level,
  text,
  ...(more === undefined ? {} : { more }),
});

/** Between the machines, and about one of them. */
const about = (machine: Cell, sort: Sort, level: Level, text: string): Read => ({
  lane: "between",
  about: Number(machine),
  sort,
  level,
  text,
});
/** Told in another way, or of no use to a person. */
const hidden: Reader = () => undefined;

/** Rules that only say that all is well, and those that make a machine wait. */
const decisions = new Map(
  plainTables().flatMap(({ rules }) => rules.map((rule) => [rule.id, rule.decisions] as const)),
);
const only = (rule: string, ...deeds: readonly string[]): boolean =>
  decisions.get(rule)?.every((deed) => deeds.includes(deed)) === true;
const levelOfRule = (rule: string): Level =>
  only(rule, "serve-as-is", "keep-tags")
    ? closer
    : only(rule, "wait", "restart-in-place", "start-plain")
      ? 3
      : 1;

/** What the machine's own line says, as seen from outside. */
const power: Readonly<Record<string, string>> = {
  "has power": "is switched on",
  "lost its power": "loses its power",
  "goes on": "goes on after its hang",
};

function memberRead(
  members: Members,
  id: Note["cells"][0],
  sort: Sort,
  level: Level,
  text: string,
  more?: string,
): Read {
  const machine = members.get(Number(id));
  return said(
    machine === undefined ? "between" : laneOf(machine),
    sort,
    level,
    text,
    more === undefined ? undefined : [more],
  );
}

function wireRead(name: string, text: string, sort: Sort): Read {
  return said("between", sort, 1, text, [linkName(name)]);
}

/** How each kind of trace line reads to a person. A kind that is not here is kept as it is, for those who look closer. */
const readers: Readonly<Record<string, Reader>> = {
  storm: ([machine, name]) => said("between", "fault", 0, faultWords(String(name), Number(machine))),
  "storm.kind": hidden,
  "storm.disk": ([machine, what]) => said(laneOf(machine), "power", 1, `has lost ${what}`),
  "storm.admin": ([who, what]) => said("between", "other", 1, `an admin on ${who}: ${what}`),
  "storm.wrong": ([who]) =>
    said("between", "other", 1, `an admin on ${who}: duet confirm-peer-down, and has not looked`),
  "storm.whole": ([what]) => said("between", "mended", 0, String(what)),
  machine: ([id, what]) =>
    said(laneOf(id), "power", what === "is up" ? 2 : 1, power[String(what)] ?? String(what)),
  corosync: ([id, seen, ring]) =>
    said(
      laneOf(id),
      "membership",
      1,
      /and/.test(String(seen)) ? `sees ${nameOf(1 - Number(id))}` : "sees only itself",
      [`Corosync ring ${ring}`],
    ),
  "pacemaker.fence": ([id, target, what]) =>
    said(
      laneOf(id),
      "fence",
      what === "off is confirmed" ? 1 : 2,
      what === "begins"
        ? `Pacemaker wants ${nameOf(Number(target))} fenced`
        : what === "off is confirmed"
          ? `the fence agent says that ${nameOf(Number(target))} is off`
          : `the fence of ${nameOf(Number(target))} ${what}`,
    ),
  "pacemaker.dc": ([id]) => said(laneOf(id), "pacemaker", closer, "is Pacemaker's coordinator"),
  "pacemaker.plan": hidden,
  "client.write": hidden,
  "client.read": hidden,
  "pacemaker.action": ([id, what, outcome]) => actionRead(Number(id), String(what), String(outcome)),
  "duet.rule": ([lane, rule, sentence]) => ({
    lane: laneOf(lane),
    sort: "rule",
    level: levelOfRule(String(rule)),
    text: String(sentence),
    rule: String(rule),
  }),
  "duet.step": ([lane, step]) => said(laneOf(lane), "step", 3, String(step)),
  "etcd.start": ([id, , commit], members) =>
    memberRead(members, id, "etcd", 2, "etcd runs", `member ${id}, committed up to ${commit}`),
  "etcd.exit": ([id, why], members) =>
    memberRead(members, id, "etcd", why === "stopped" ? closer : 2, `etcd ended: ${why}`, `member ${id}`),
  "etcd.role": ([id, role, term], members) =>
    memberRead(
      members,
      id,
      "etcd",
      role === "leader" ? 1 : closer,
      role === "leader" ? `etcd leads, in term ${term}` : `etcd is ${role} in term ${term}`,
      `member ${id}`,
    ),
  "etcd.conf": ([id, what, voters], members) =>
    memberRead(
      members,
      id,
      "etcd",
      3,
      votersText(memberNames(members, String(voters))),
      `member ${id} applied ${what}`,
    ),
  "etcd.snapshot": ([id, what, index], members) =>
    memberRead(members, id, "etcd", closer, `etcd ${what} a snapshot at ${index}`, `member ${id}`),
  "bmc.power": ([id, what]) => about(id, "bmc", 3, `${nameOf(Number(id))}'s BMC: ${what}`),
  "bmc.tag": ([id, tag]) =>
    about(id, "bmc", 3, `the tag on ${nameOf(Number(id))}'s BMC ${tagText(String(tag))}`),
  "bmc.fault": ([id, what]) =>
    what === "no fault"
      ? about(id, "mended", 1, `${nameOf(Number(id))}'s BMC works as it should`)
      : about(id, "bmc", 1, `${nameOf(Number(id))}'s BMC: ${what}`),
  pdu: ([id, what]) => about(id, "power", 1, `the outlet of ${nameOf(Number(id))} is ${what}`),
  "wire.cut": ([name, from, to]) =>
    wireRead(String(name), `${endName(Number(from))} to ${endName(Number(to))}`, "wire"),
  "wire.heal": ([name, from, to]) =>
    wireRead(String(name), `${endName(Number(from))} to ${endName(Number(to))}`, "mended"),
  "wire.fate": ([name, way, what]) => {
    const [from = "", to = ""] = String(way).split("->");
    const text = `${linkName(String(name))}: a message from ${endName(Number(from))} to ${endName(Number(to))} is ${fates[String(what)] ?? what}`;
    return said("between", "other", closer, text);
  },
  "disk.power-cut": ([id, kept, lost]) =>
    said(
      laneOf(id),
      "power",
      closer,
      `of what was not synced, ${kept} writes are there and ${lost} are gone`,
    ),
  VIOLATION: ([check, what], members) =>
    said("between", "violation", 0, `${check}: ${named(members, String(what))}`),
};

const fates: Readonly<Record<string, string>> = { twice: "doubled", slow: "very late" };

const votersText = (names: string): string =>
  names.includes(" and ") ? `its etcd counts ${names} as voters` : `its etcd counts only ${names} as a voter`;

/** The tag as duet wrote it; whatever else stands there is told as it is. */
const tagText = (tag: string): string =>
  tag === ""
    ? "is empty"
    : tag.replace(/^(?:duet (\d+) (\S+)|(.*))$/, (_, epoch?: string, owner?: string, other?: string) =>
        epoch === undefined ? `says “${other}”` : `says epoch ${epoch} of ${owner}`,
      );

function actionRead(id: number, what: string, outcome: string): Read {
  const lane = laneOf(id);
  const words = what.replaceAll(/\d/g, (machine) => nameOf(Number(machine)));
  if (!["ok", "promoted", "not running"].includes(outcome))
    return said(lane, "pacemaker", 2, `Pacemaker: ${words}: ${outcome}`);
  // Of the notifications only those of an end mean something: they look like a proof of Off and are none.
  if (/^notify (pre|post)-stop/.test(what))
    return said(lane, "pacemaker", 2, `is notified: ${words.slice(7)}`);
  return undefined;
}

/** One trace line as a moment; nothing where it tells a person nothing. */
export function readNote(note: Note, members: Members): Moment | undefined {
  const reader = readers[note.kind];
  if (reader === undefined)
    return {
      at_us: note.at_us,
      kind: note.kind,
      lane: "between",
      sort: "other",
      level: note.kind.startsWith("storm") ? 1 : closer,
      text: named(members, note.text),
    };
  const read = reader(note.cells, members);
  return read === undefined ? undefined : { at_us: note.at_us, kind: note.kind, ...read };
}
