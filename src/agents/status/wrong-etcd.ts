import { seconds } from "../../machine/progress.ts";
import { valueOf } from "./report.ts";
import type { MachineStatus, Views, Wrong } from "./status.ts";
import { unfinished_ms } from "./unfinished.ts";
import { bySaying, isOnStandby, type Judged, wrong } from "./wrong-line.ts";

export function etcdOf(machine: MachineStatus, { machines, reports }: Views): readonly Wrong[] {
  const { name, etcd, corosync } = machine;
  const found: Wrong[] = [];
  const report = valueOf(reports[name]);
  const state = valueOf(etcd);
  const unit = valueOf(report?.unit);
  if (state?.role === "down" && valueOf(corosync) === "member" && !isOnStandby(machine)) {
    const tries =
      unit === undefined || unit.failedStarts === 0 ? "" : ` (${unit.failedStarts} starts failed)`;
    const masked = unit?.masked === true ? ", and nobody may start it: its data was given up" : "";
    found.push(
      wrong(
        "DUET-E-STATUS-ETCD-DOWN",
        name,
        `etcd does not run${tries}${masked}`,
        unit?.masked === true
          ? `it joins ${machines.find((each) => each !== name) ?? "its peer"} by itself once that serves, and starts then; \`journalctl -u duet-work\` on ${name} says why it gave up`
          : `duet starts it again by itself; \`journalctl -u duet-etcd -u duet-work\` on ${name} says why it ended`,
      ),
    );
  }
  if (state !== undefined && (state.role === "leader" || state.role === "voter") && !state.serves)
    found.push(
      wrong(
        "DUET-E-STATUS-NO-LEADER",
        name,
        state.led
          ? "etcd runs, and did not answer a read that needs both voters"
          : "etcd runs and has no leader: writes and linearizable reads fail",
        "its peer's etcd is missing or slow; for some seconds this is part of each failover",
      ),
    );
  const alarms = new Set(
    Object.values(reports).flatMap((each) => valueOf(valueOf(each)?.etcd[name])?.alarms ?? []),
  );
  for (const alarm of alarms)
    if (/alarm/i.test(alarm))
      found.push(
        wrong(
          "DUET-E-STATUS-ETCD-ALARM",
          name,
          `etcd raises an alarm: ${alarm}`,
          "compact, defragment, then disarm it",
        ),
      );
  return found;
}

/** So many tries fail before anybody is told: the first ones are part of many a return. */
const tries_min = 3;

export function unfinishedOf({ name }: MachineStatus, { reports }: Views): readonly Wrong[] {
  const report = valueOf(reports[name]);
  const { why, since_ms, at_ms, tries = 0 } = report?.unfinished ?? {};
  if (report === undefined || why === undefined || tries < tries_min) return [];
  // What is not tried any more was overtaken by something else.
  if (report.at_ms - (at_ms ?? 0) > unfinished_ms) return [];
  return [
    wrong(
      "DUET-E-STATUS-UNFINISHED",
      name,
      `what it decided can't be done (${tries} tries in ${seconds(report.at_ms - (since_ms ?? 0))}): ${why}`,
      `duet tries it again every few seconds; mend the reason, which \`journalctl -u duet-work\` on ${name} tells too`,
    ),
  ];
}

/** Both machines read both BMCs, and say the same. */
export function foreignTag({ name }: MachineStatus, { reports }: Views): readonly Wrong[] {
  const tags = valueOf(reports[name])?.said["tags"];
  return tags?.rule === "R-TAGS-FOREIGN"
    ? [
        bySaying(
          name,
          tags,
          "`duet check` shows which; `duet setup --witness-test` keeps that text and writes the tag anew",
        ),
      ]
    : [];
}

export function catchingUp({ learner, whole, machines, serves }: Judged): readonly Wrong[] {
  const late = machines.find(({ full, etcd }) => valueOf(full) === false && valueOf(etcd)?.role === "voter");
  const name = learner?.machine ?? (whole === "1+0" && serves.length > 0 ? late?.name : undefined);
  if (name === undefined) return [];
  const what = learner === null ? "votes, and is not full yet" : "is a learner, and catches up";
  return [
    wrong(
      "DUET-E-STATUS-CATCHING-UP",
      name,
      `${what}: until then its peer must not be lost`,
      "wait: it goes on by itself",
    ),
  ];
}

export function wentBack({ name }: MachineStatus, { reports }: Views): readonly Wrong[] {
  if (valueOf(valueOf(reports[name])?.holding)?.bump !== "missed") return [];
  return [
    wrong(
      "DUET-E-STATUS-REVISIONS",
      name,
      "etcd's revisions went back with the loss that was accepted, and could not be raised",
      `restart what watches or caches by revision (API servers, controllers, kubelets); then \`duet reboot ${name}\`, which also forgets this`,
    ),
  ];
}
