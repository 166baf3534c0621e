import { judge } from "../status/judge.ts";
import { refused } from "../status/machine.ts";
import { known, type Report, unknown } from "../status/report.ts";
import type { Status } from "../status/status.ts";
import { fromMachine, fromSeat, sight, wholeReport } from "../status/testing.ts";

/** For tests: sites as `duet status` sees them. */

export const whole = (): Status =>
  judge(fromSeat(known(wholeReport("node1", { boot: "a" })), known(wholeReport("node2", { boot: "b" }))));

const only1 = [{ id: "a1", name: "node1", learner: false }];

/** What Pacemaker on node1 tells, with node2 in this state and these of its parts there. */
const cluster = (node2: string, runs: readonly string[]): Report["pacemaker"] => {
  const { pacemaker } = wholeReport("node1");
  if (!pacemaker.known) throw new Error("bug: it is known");
  return known({
    ...pacemaker.value,
    nodes: { node1: "online", node2 },
    runs: { node1: ["etcd"], node2: [...runs] },
  });
};

/** node1 serves alone; node2 on standby, with or without something that still runs there. */
export const standby = (runs: readonly string[] = []): Status =>
  judge(
    fromMachine(
      wholeReport("node1", {
        pacemaker: cluster("standby", runs),
        etcd: {
          node1: sight("node1", { members: only1 }),
          node2: runs.includes("etcd") ? sight("node2") : unknown(refused),
        },
      }),
    ),
  );

/** node1 serves alone; node2 has no power. */
export const away = (): Status =>
  judge(
    fromMachine(
      wholeReport("node1", {
        corosync: known({ quorate: true, members: ["node1"], waits: false }),
        pacemaker: cluster("offline", []),
        etcd: {
          node1: sight("node1", { members: only1 }),
          node2: unknown("no connection to its etcd: no answer within 700 ms"),
        },
        peerSays: known(null),
      }),
    ),
  );

/** node1 serves alone; node2 is here, and calls for somebody by this rule. */
export function refusing(rule: string, sentence: string): Status {
  const etcd = { node1: sight("node1", { members: only1 }), node2: unknown(refused) };
  const said = { start: { rule, do: "needs-human", sentence, at_ms: wholeReport("node2").at_ms } };
  const unit = known({ active: "inactive", masked: false, failedStarts: 0 });
  return judge(
    fromSeat(known(wholeReport("node1", { etcd })), known(wholeReport("node2", { etcd, said, unit }))),
  );
}

export const inMaintenance = (): Status => {
  const { pacemaker } = wholeReport("node1");
  if (!pacemaker.known) throw new Error("bug: it is known");
  return judge(
    fromMachine(wholeReport("node1", { pacemaker: known({ ...pacemaker.value, maintenance: true }) })),
  );
};
