import { valueOf } from "./report.ts";
import type { Views, Wrong } from "./status.ts";
import { wrong } from "./wrong-line.ts";

/** Settings that somebody changed. Pacemaker's are the site's: both machines tell the same, and it is told once. */
export function driftWrongs({ site, machines, reports }: Views): readonly Wrong[] {
  const told = machines.map((name) => ({ name, drift: valueOf(reports[name])?.drift }));
  const pacemaker = new Set(told.flatMap(({ drift }) => drift?.pacemaker ?? []));
  return [
    ...[...pacemaker].map((what) =>
      wrong(
        "DUET-E-STATUS-DRIFT",
        site,
        what,
        "`duet setup` on a machine, with both there, loads duet's again",
      ),
    ),
    ...told.flatMap(({ name, drift }) =>
      (drift?.corosync ?? []).map((what) =>
        wrong(
          "DUET-E-STATUS-DRIFT",
          name,
          what,
          "put back /etc/corosync/corosync.conf as `duet render` wrote it, then `corosync-cfgtool -R`; its page says more",
        ),
      ),
    ),
  ];
}
