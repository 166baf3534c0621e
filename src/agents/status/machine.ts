import { type EtcdSight, type Known, known, type Report, unknown, valueOf } from "./report.ts";
import { mainSaying } from "./said.ts";
import type { EtcdStatus, MachineStatus, Views } from "./status.ts";

/** The machine answers, and no etcd does. */
export const refused = "nothing listens on etcd's port";

/** One machine by its own word, and where it has none by its peer's. */
export function machineStatus(name: string, views: Views): MachineStatus {
  const report = views.reports[name] ?? unknown("it was not asked");
  const own = valueOf(report);
  const other = otherReport(name, views);
  const power = views.power[name] ?? unknown("its BMC was not asked");
  const untold = "it has not told since it was lost, or came";
  const silent = report.known ? "" : report.why;
  const holding: Known<Report["holding"] extends Known<infer H> ? H | null : never> =
    own?.holding ?? other?.peerSays ?? unknown(silent);
  return {
    name,
    reported: report.known ? known(true) : report,
    power,
    corosync: corosyncOf(name, own, other, silent),
    pacemaker: pacemakerOf(name, own, other, silent),
    etcd: etcdOf(name, own, other, valueOf(power), silent),
    lineage: mapped(holding, (value) => (value === null ? undefined : value.lineage), untold),
    full: mapped(holding, (value) => value?.full, untold),
    says: saysOf(own, other, silent),
    duet: own?.duet ?? null,
    runs: runsOf(name, own ?? other),
    boot: own?.boot ?? null,
  };
}

const otherReport = (name: string, { machines, reports }: Views): Report | undefined =>
  machines
    .flatMap((each) => (each === name ? [] : [valueOf(reports[each])]))
    .find((each) => each !== undefined);

function mapped<T, U>(each: Known<T>, map: (value: T) => U | undefined, otherwise: string): Known<U> {
  if (!each.known) return each;
  const value = map(each.value);
  return value === undefined ? unknown(otherwise) : known(value);
}

function corosyncOf(
  name: string,
  own: Report | undefined,
  other: Report | undefined,
  silent: string,
): MachineStatus["corosync"] {
  if (own !== undefined)
    return mapped(
      own.corosync,
      ({ quorate, members, waits }) =>
        waits ? "alone" : !quorate ? "no quorum" : members.includes(name) ? "member" : "not a member",
      "",
    );
  if (other === undefined) return unknown(silent);
  // Who is cut off and inert does not know whether the other is.
  return mapped(
    other.corosync,
    ({ quorate, members }) => (members.includes(name) ? "member" : quorate ? "not a member" : undefined),
    `${other.machine} does not reach it`,
  );
}

function pacemakerOf(
  name: string,
  own: Report | undefined,
  other: Report | undefined,
  silent: string,
): Known<string> {
  const of = (report: Report) =>
    mapped(report.pacemaker, ({ nodes }) => nodes[name], "Pacemaker does not know this machine");
  if (own !== undefined) return of(own);
  if (other === undefined) return unknown(silent);
  return valueOf(other.corosync)?.quorate === false
    ? unknown(`${other.machine} does not reach it`)
    : of(other);
}

function runsOf(name: string, by: Report | undefined): readonly string[] | null {
  const runs = valueOf(by?.pacemaker)?.runs;
  return runs === undefined ? null : (runs[name] ?? []);
}

/** Down is said only where somebody saw it: the unit that is stopped, the port that is closed, the power that is off. */
function etcdOf(
  name: string,
  own: Report | undefined,
  other: Report | undefined,
  power: string | undefined,
  silent: string,
): Known<EtcdStatus> {
  const installed = valueOf(own?.unit)?.installed ?? null;
  const down = known({
    role: "down",
    led: false,
    serves: false,
    version: installed,
    cluster: null,
    installed,
  } as const);
  const seen = [own?.etcd[name], other?.etcd[name]].filter((each) => each !== undefined);
  const sight = seen.find((each) => each.known);
  if (sight?.known === true) return known({ ...statusOf(sight.value), installed });
  const unit = valueOf(own?.unit);
  if (unit !== undefined && (unit.active === "inactive" || unit.active === "failed")) return down;
  if (power === "Off" || seen.some((each) => !each.known && each.why === refused)) return down;
  const why = seen.find((each) => !each.known);
  return why === undefined || why.known ? unknown(silent) : why;
}

const statusOf = ({ role, leader, members, version, cluster }: EtcdSight): Omit<EtcdStatus, "installed"> => ({
  role,
  led: leader !== null,
  serves: members !== null,
  version,
  cluster: cluster ?? null,
});

function saysOf(own: Report | undefined, other: Report | undefined, silent: string): MachineStatus["says"] {
  if (own !== undefined) {
    const saying = mainSaying(own.said);
    return known(saying === undefined ? null : { ...saying, ago_ms: Math.max(0, own.at_ms - saying.at_ms) });
  }
  if (other === undefined) return unknown(silent);
  return mapped(other.peerSaying, (saying) => (saying === null ? null : { ...saying, ago_ms: null }), "");
}
