import { lossAcceptedOn } from "../../decide/lineage.ts";
import { apiOf } from "./api.ts";
import type { Fence, Known, Report } from "./report.ts";
import { type EtcdSight, known, unknown, valueOf } from "./report.ts";
import { machineStatus } from "./machine.ts";
import type { FencingStatus, Learner, MachineStatus, Status, Views, Whole } from "./status.ts";
import { isOnline, wrongs } from "./wrong.ts";

/** What all that was seen comes to. Nothing is asked here, and nothing guessed. */
export function judge(views: Views): Status {
  const machines = views.machines.map((name) => machineStatus(name, views));
  const sights = sightsOf(views);
  const { whole, sentence } = wholeOf(machines, sights);
  const serves = machines.flatMap(({ name, etcd }) => (valueOf(etcd)?.serves === true ? [name] : []));
  const serving = machines.find(({ name }) => serves.includes(name));
  const maintenance = reportsOf(views).some((each) => valueOf(each.pacemaker)?.maintenance === true);
  const fencing = views.machines.map((target) => {
    const each = fencingOf(target, views, machines);
    return maintenance && each.proven.known ? { ...each, proven: known(null), why: unwatched } : each;
  });
  const base = {
    site: views.site,
    from: views.from ?? null,
    at_ms: views.at_ms,
    whole,
    sentence: maintenance ? inMaintenance(whole, sentence) : sentence,
    maintenance,
    serves,
    leader: machines.find(({ etcd }) => valueOf(etcd)?.role === "leader")?.name ?? null,
    lineage: valueOf(serving?.lineage) ?? null,
    machines,
    learner: learnerOf(views, sights),
    fencing,
    lastFence: lastFenceOf(views),
    noOutlet: views.noOutlet,
    alone: reportsOf(views).find(({ alone }) => typeof alone === "string")?.alone ?? null,
    alerts: Object.fromEntries(
      reportsOf(views).flatMap(({ machine, alerts }) => {
        const told = valueOf(alerts);
        return told === undefined ? [] : [[machine, told]];
      }),
    ),
    api: apiOf(views),
  };
  return { ...base, wrong: wrongs(base, views) };
}

/** Either may be lost: not then. Pacemaker asks for no fence, and without one nobody takes over. */
const inMaintenance = (whole: Whole, sentence: string): string =>
  whole === "1+1"
    ? "both machines hold everything, but maintenance is on: nothing is watched, and if either is lost nobody serves"
    : `${sentence}; maintenance is on, and nothing is watched`;

const unwatched = "maintenance is on, and its device is not watched";

type Sights = ReadonlyMap<string, EtcdSight>;

/** Of each etcd by whoever reached it, its own machine first. */
function sightsOf({ machines, reports }: Views): Sights {
  const found = new Map<string, EtcdSight>();
  for (const name of machines) {
    const order = [name, ...machines.filter((each) => each !== name)];
    const sight = order
      .map((by) => valueOf(valueOf(reports[by])?.etcd[name]))
      .find((each) => each !== undefined);
    if (sight !== undefined) found.set(name, sight);
  }
  return found;
}

function wholeOf(
  machines: readonly MachineStatus[],
  sights: Sights,
): { readonly whole: Whole; readonly sentence: string } {
  const list = [...sights.values()].find(({ members }) => members !== null)?.members;
  if (list === undefined || list === null) return darkOf(machines);
  const voters = list.filter(({ learner }) => !learner).map(({ name }) => name);
  const [first = "one machine"] = voters;
  if (voters.length < 2) return { whole: "1+0", sentence: aloneSentence(first, machines) };
  const doubtful = machines.find(({ full }) => !full.known);
  if (doubtful !== undefined)
    return { whole: "unknown", sentence: `both vote, but it can't be told whether ${doubtful.name} is full` };
  const late = machines.find(({ full }) => valueOf(full) === false);
  return late === undefined
    ? { whole: "1+1", sentence: "both machines hold everything: either may be lost" }
    : { whole: "1+0", sentence: `both vote, and ${late.name} is not known yet to hold everything` };
}

/** That nothing is lost is said only of data whose lineage is known: after an accepted loss it would not be so. */
function aloneSentence(name: string, machines: readonly MachineStatus[]): string {
  const lineage = valueOf(machines.find((each) => each.name === name)?.lineage);
  if (lineage === undefined || lineage === null)
    return `${name} serves alone: no further machine may be lost`;
  const [one = "", other = ""] = machines.map((each) => each.name);
  const acceptedOn = lossAcceptedOn(lineage.epoch, one, other);
  if (acceptedOn === undefined) return `${name} serves alone: nothing is lost, and no further machine may be`;
  const loser = acceptedOn === one ? other : one;
  return `${name} serves alone, with data from after an accepted loss: what ${loser} had acknowledged alone may be lost, nothing since is, and no further machine may be`;
}

/** No etcd answered a linearizable read. Is it known of both that they do not serve? */
function darkOf(machines: readonly MachineStatus[]): { readonly whole: Whole; readonly sentence: string } {
  const open = machines.filter(({ etcd }) => !etcd.known).map(({ name }) => name);
  return open.length === 0
    ? { whole: "0", sentence: "nobody serves: no etcd answers a read that needs its quorum" }
    : { whole: "unknown", sentence: `it can't be told from here whether ${open.join(" or ")} serves` };
}

/** Its progress is the end of its log against the end of a voter's; before it has a log, what it has of the voter's database. */
function learnerOf({ machines, reports }: Views, sights: Sights): Learner | null {
  const list = [...sights.values()].find(({ members }) => members !== null)?.members ?? [];
  const listed = list.find(({ learner }) => learner);
  const machine =
    machines.find((name) => sights.get(name)?.role === "learner") ??
    (listed === undefined
      ? undefined
      : (machines.find((name) => name === listed.name) ?? notServing(machines, sights)));
  if (machine === undefined) return null;
  const voter = machines.find((name) => name !== machine && sights.has(name));
  return {
    machine,
    index: sights.get(machine)?.index ?? null,
    of: voter === undefined ? null : (sights.get(voter)?.index ?? null),
    bytes: valueOf(reports[machine])?.receiving_bytes ?? null,
    of_bytes: voter === undefined ? null : (sights.get(voter)?.db_bytes ?? null),
  };
}

/** A member has no name until it has started for the first time. */
const notServing = (machines: readonly string[], sights: Sights): string | undefined =>
  machines.find((name) => sights.get(name)?.members === undefined || sights.get(name)?.members === null);

const reportsOf = ({ machines, reports }: Views): readonly Report[] =>
  machines.map((name) => valueOf(reports[name])).filter((each) => each !== undefined);

function fencingOf(target: string, views: Views, machines: readonly MachineStatus[]): FencingStatus {
  const by = views.machines.find((name) => name !== target) ?? "";
  const own = valueOf(views.reports[by]);
  const told = [own, ...reportsOf(views)].filter((each) => each !== undefined);
  const pacemaker: Known<unknown> = told[0]?.pacemaker ?? unknown("no machine could be asked");
  const device = told
    .map((report) => valueOf(report.pacemaker)?.devices[target])
    .find((each) => each !== undefined);
  const lastOff = own?.lastOff ?? unknown(`only ${by} has a record of it`);
  const lastOff_ms = lastOff.known ? known(lastOff.value?.at_ms ?? null) : lastOff;
  const test = own?.proof ?? unknown(`only ${by} keeps it`);
  if (!isOnline(machines.find(({ name }) => name === by)))
    return {
      by,
      target,
      proven: known(null),
      why: `${by} does not take part in the cluster`,
      lastOff_ms,
      test,
    };
  if (device === undefined) {
    const why = pacemaker.known ? "Pacemaker has no device for it" : pacemaker.why;
    return { by, target, proven: pacemaker.known ? known(null) : unknown(why), why, lastOff_ms, test };
  }
  const proven = device.since_ms === null ? null : { since_ms: device.since_ms, every_s: device.interval_s };
  const why =
    proven !== null
      ? ""
      : (device.failed ??
        (device.on === null ? "its device is not started" : "its device has not been heard of yet"));
  return { by, target, proven: known(proven), why, lastOff_ms, test };
}

/** One that is still under way counts as the last. */
function lastFenceOf(views: Views): Known<Fence | null> {
  const reports = reportsOf(views);
  const [first] = reports;
  if (first === undefined) return unknown("no machine could be asked");
  const all = reports.flatMap((report) => [
    ...(valueOf(report.pacemaker)?.fences ?? []),
    ...[valueOf(report.lastOff)].flatMap((each) => each ?? []),
  ]);
  const time = (each: Fence) => (each.result === "pending" ? Number.POSITIVE_INFINITY : each.at_ms);
  const last = all.toSorted((a, b) => time(b) - time(a))[0];
  if (last !== undefined) return known(last);
  const silent = reports.map(({ lastOff }) => lastOff).find((each) => !each.known);
  return silent === undefined ? known(null) : unknown(silent.known ? "" : silent.why);
}
