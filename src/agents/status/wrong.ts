import { testWrongs } from "./proof.ts";
import { moment } from "./layout.ts";
import { apiWrongs } from "./wrong-api.ts";
import { rotationWrongs } from "./rotations.ts";
import type { AlertSight, Report } from "./report.ts";
import { valueOf } from "./report.ts";
import { driftWrongs } from "./wrong-drift.ts";
import { callsSomebody } from "./said.ts";
import type { FencingStatus, MachineStatus, Views, Wrong } from "./status.ts";
import { catchingUp, etcdOf, foreignTag, unfinishedOf, wentBack } from "./wrong-etcd.ts";
import { falseOffOf } from "./wrong-false-off.ts";
import { witnessWrongs } from "./wrong-witness.ts";
import { bySaying, isOnStandby, type Judged, standbyOf, wrong } from "./wrong-line.ts";

/** Everything that is not as it should be, the gravest first. Empty at 1+1 with fencing proven. */
export function wrongs(status: Judged, views: Views): readonly Wrong[] {
  const { machines } = status;
  const found = [
    ...machines.flatMap((each) => falseOffOf(each, views)),
    ...unwatched(status),
    ...driftWrongs(views),
    ...witnessWrongs(views),
    ...machines.flatMap((each) => sayingOf(each, status)),
    ...machines.flatMap((each) => servicesOf(each, views)),
    ...machines.flatMap((each) => failedOn(each, views)),
    ...machines.flatMap((each) => refusalOf(each, views)),
    ...machines.flatMap((each) => uninstalledOf(each, status, views) ?? awayOf(each, status, views)),
    ...machines.flatMap((each) => etcdOf(each, views)),
    ...machines.flatMap((each) => unfinishedOf(each, views)),
    ...apiWrongs(status, views),
    ...machines.flatMap((each) => foreignTag(each, views)).slice(0, 1),
    ...catchingUp(status),
    ...machines.flatMap((each) => wentBack(each, views)),
    ...(status.maintenance ? [] : status.fencing.flatMap((each) => unproven(each, machines))),
    ...status.fencing.flatMap((each) => testWrongs(each, views)),
    ...rotationWrongs(views),
    ...Object.entries(status.alerts).flatMap(([name, alerts]) => undelivered(name, alerts)),
  ];
  return found.length > 0 ? found : unsure(status);
}

/** Something is not as it should be, and nothing that was seen says why: that is said too. */
function unsure({ whole, sentence, machines, site }: Judged): readonly Wrong[] {
  if (whole === "1+1") return [];
  const silent = machines.every(({ reported }) => !reported.known);
  return [
    wrong(
      "DUET-E-STATUS-UNSURE",
      site,
      silent ? "no machine could be asked" : sentence,
      silent
        ? "see that one of them is on, and that `ssh root@ADDRESS` works from here"
        : "look again in some seconds, or ask on the other machine",
    ),
  ];
}

function unwatched({ maintenance, site }: Judged): readonly Wrong[] {
  if (!maintenance) return [];
  return [
    wrong(
      "DUET-E-STATUS-MAINTENANCE",
      site,
      "maintenance is on: Pacemaker starts, stops, watches and fences nothing, so if a machine is lost the other does not take over",
      "when the work is done: `duet maintenance off`",
    ),
  ];
}

/** What its agent waits for, or calls a person for. One that serves and is full waits for nothing, whatever it said before. */
function sayingOf(machine: MachineStatus, { machines, serves: serving }: Judged): readonly Wrong[] {
  const { name, says, etcd, full } = machine;
  const saying = valueOf(says);
  // On standby nothing of duet's decides: what it said before is of another day.
  if (saying === undefined || saying === null || isOnStandby(machine)) return [];
  const serves = valueOf(etcd)?.serves === true && valueOf(full) === true;
  if (!callsSomebody.has(saying.do))
    return saying.do !== "wait" || serves
      ? []
      : [bySaying(name, saying, "duet waits and goes on by itself; its page says what for")];
  const peer = machines.find((each) => each.name !== name)?.name ?? "its peer";
  if (serving.includes(peer))
    return [
      bySaying(name, saying, `${peer} serves: when the two meet, this is over by itself; its page says more`),
    ];
  if (valueOf(machine.corosync) === "alone")
    return [
      bySaying(
        name,
        saying,
        `if ${peer} can come back, see to that first: then this is over by itself; else its page says what to do`,
      ),
    ];
  return [bySaying(name, saying, "a person is needed: its page says what to do")];
}

const fresh_ms = 60_000;

/** A fence that is refused is tried again every few seconds: an old refusal is of another day. */
function refusalOf({ name, says }: MachineStatus, { reports }: Views): readonly Wrong[] {
  const report = valueOf(reports[name]);
  const fence = report?.said["fence"];
  if (report === undefined || fence?.do !== "refuse-fence" || report.at_ms - fence.at_ms > fresh_ms)
    return [];
  if (valueOf(says)?.rule === fence.rule) return [];
  return [bySaying(name, fence, "it does not switch its peer off; its page says why")];
}

/** It is not away: it is no machine of duet's any more. */
function uninstalledOf(
  { name, corosync }: MachineStatus,
  { machines }: Judged,
  { reports }: Views,
): readonly Wrong[] | undefined {
  const told = Object.values(reports).some((each) => valueOf(each)?.uninstalled?.includes(name) === true);
  if (!told || valueOf(corosync) !== "not a member") return undefined;
  const peer = machines.find((each) => each.name !== name)?.name ?? "its peer";
  return [
    wrong(
      "DUET-E-STATUS-UNINSTALLED",
      name,
      "duet was taken off this machine",
      `\`duet uninstall\` on ${peer} too, or install ${name} again for this site`,
    ),
  ];
}

function awayOf(machine: MachineStatus, { machines, serves }: Judged, { reports }: Views): readonly Wrong[] {
  const { name, corosync, power, pacemaker } = machine;
  const peer = machines.find((each) => each.name !== name);
  const state = valueOf(corosync);
  if (state === "alone" || state === "no quorum")
    return [
      wrong(
        "DUET-E-STATUS-INERT",
        name,
        state === "alone"
          ? `has not met ${peer?.name ?? "its peer"} since it booted, and so runs nothing: it is inert`
          : "has no quorum, and so runs nothing: it is inert",
        `see the wires between the two machines, and that ${peer?.name ?? "its peer"} runs; it joins by itself`,
      ),
    ];
  if (isOnStandby(machine)) return [standbyOf(machine, peer?.name ?? "its peer", serves)];
  const manager = valueOf(pacemaker);
  if (state === "member" && manager !== undefined && manager !== "online")
    return [
      wrong(
        "DUET-E-STATUS-PEER-AWAY",
        name,
        `is a member of Corosync's, and ${manager} for Pacemaker`,
        `for some seconds this is ordinary; if it stays, see \`systemctl status pacemaker\` on ${name}`,
      ),
    ];
  if (state !== "not a member") return [];
  const report = valueOf(reports[peer?.name ?? ""]);
  const left_ms = report?.peerLeft_ms ?? undefined;
  const what =
    report === undefined || left_ms === undefined
      ? "is not in the cluster"
      : `left by plan ${moment(left_ms, report.at_ms)}`;
  const fix = powerFix(valueOf(power), serves, left_ms !== undefined);
  return [wrong("DUET-E-STATUS-PEER-AWAY", name, what, fix)];
}

/** Who left is not taken over from, or was shut down on purpose: nobody powers it on behind the back of who works on it. */
function powerFix(read: string | undefined, serves: readonly string[], left: boolean): string {
  if (read === undefined) return "see whether it has power: its BMC does not tell";
  if (read !== "Off") return `its BMC says ${read}: it boots, hangs, or its wires are cut; see its console`;
  if (left) return "nobody powers it on: when its work is done, power it on, and it joins by itself";
  return serves.length > 0
    ? `${serves.join(" and ")} powers it on by itself after a takeover; if it stays off, see why, and power it on`
    : "power it on";
}

/** Or nobody can tell. */
export const isOnline = (machine: MachineStatus | undefined): boolean =>
  (valueOf(machine?.corosync) ?? "member") === "member" &&
  (valueOf(machine?.pacemaker) ?? "online") === "online";

/** Of a machine that is away nothing is expected: that it is away is told already. */
function unproven(
  { by, target, proven, why }: FencingStatus,
  machines: readonly MachineStatus[],
): readonly Wrong[] {
  // What is unknown is so because Pacemaker is silent, or nobody could be asked: that is told already.
  if (!proven.known || proven.value !== null) return [];
  if (!isOnline(machines.find(({ name }) => name === by))) return [];
  return [
    wrong(
      "DUET-E-STATUS-FENCE-UNPROVEN",
      by,
      `is not proven to be able to switch ${target} off: ${why}`,
      `see the BMC of ${target}: its power, its network, its password; \`duet check\` tests it step by step`,
    ),
  ];
}

function servicesOf({ name, corosync, pacemaker }: MachineStatus, { reports }: Views): readonly Wrong[] {
  const report = valueOf(reports[name]);
  if (report === undefined) return [];
  const found: Wrong[] = [];
  found.push(...setupOf(name, report.setup));
  if (!corosync.known)
    found.push(wrong("DUET-E-COROSYNC-SILENT", name, corosync.why, "see `systemctl status corosync`"));
  else if (!pacemaker.known)
    found.push(wrong("DUET-E-PACEMAKER-SILENT", name, pacemaker.why, "see `systemctl status pacemaker`"));
  if (!report.holding.known)
    found.push(
      wrong("DUET-E-STATE-FILE", name, report.holding.why, "this machine stays inert; its page says more"),
    );
  return found;
}

/** A setup that was done and then failed when it was run again is told too: the machine may be half of what the site file says. */
function setupOf(name: string, setup: Report["setup"]): readonly Wrong[] {
  if (setup.state === "done") return [];
  const [problem] = setup.state === "failed" ? setup.problems : [];
  if (setup.state === "begun" || problem === undefined)
    return [
      wrong(
        "DUET-E-STATUS-NOT-SET-UP",
        name,
        "its setup is not finished",
        "`journalctl -u duet-setup` says what it waits for",
      ),
    ];
  const { code, where, what, fix } = problem;
  return [
    wrong(
      "DUET-E-STATUS-NOT-SET-UP",
      name,
      `its setup failed in the step "${setup.step}": ${code}: ${where}: ${short(what)}`,
      `${short(fix)}; then \`duet setup\` on ${name}, which runs by itself until it has succeeded once`,
    ),
  ];
}

const what_max = 300;
/** On one line, and not more than somebody reads. */
const short = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > what_max ? `${line.slice(0, what_max)}…` : line;
};

/** Each machine's Pacemaker knows of both: the failure of one that can't be asked is told by its peer. */
function failedOn({ name }: MachineStatus, { reports }: Views): readonly Wrong[] {
  const seen = Object.values(reports)
    .flatMap((report) => valueOf(valueOf(report)?.pacemaker)?.failures ?? [])
    .filter(({ node }) => node === name);
  return [...new Map(seen.map((each) => [each.what, each])).values()].map(({ what, again }) =>
    wrong(
      "DUET-E-STATUS-RESOURCE-FAILED",
      name,
      what,
      again
        ? `it is tried again by itself; when it is mended, \`crm_resource --cleanup\` on ${name} forgets it at once`
        : `nobody tries that again: when it is mended, \`crm_resource --cleanup\` on ${name}`,
    ),
  );
}

/** What people were not told: the next time that it matters they may not be told either. */
function undelivered(name: string, alerts: AlertSight | null): readonly Wrong[] {
  return (alerts?.ways ?? []).flatMap(({ name: way, failed, waiting }) =>
    failed?.again === true
      ? [
          wrong(
            "DUET-E-ALERT-DELIVERY",
            name,
            `can't tell anybody by ${way}: ${failed.why}${waiting === 0 ? "" : `; ${waiting} waiting`}`,
            `it is tried again for a day; \`duet alert-test\` on ${name} tries it now`,
          ),
        ]
      : [],
  );
}
