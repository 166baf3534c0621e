import type { Finding } from "./finding.ts";
import type { ProbeReport } from "./probe.ts";

/** Do Pacemaker and Corosync run with what duet loaded? Nothing of a machine that has loaded nothing. */
export function judgeDrift(subject: string, drift: ProbeReport["drift"]): readonly Finding[] {
  if (drift === undefined) return [];
  const check = "settings";
  const found = [...drift.pacemaker, ...drift.corosync];
  if (found.length === 0)
    return [{ subject, check, mark: "ok", detail: "Pacemaker and Corosync run with duet's" }];
  const code = "DUET-E-STATUS-DRIFT";
  return [
    ...drift.pacemaker.map((detail) => ({ detail, fix: "`duet setup` there loads duet's again" })),
    ...drift.corosync.map((detail) => ({
      detail,
      fix: "put back /etc/corosync/corosync.conf as `duet render` wrote it, then `corosync-cfgtool -R`",
    })),
  ].map(({ detail, fix }) => ({ subject, check, mark: "fail" as const, detail, fix, code }));
}
