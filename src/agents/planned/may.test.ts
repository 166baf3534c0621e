import assert from "node:assert/strict";
import { test } from "node:test";
import { judge } from "../status/judge.ts";
import { known, type Report, unknown } from "../status/report.ts";
import { fromMachine, sight, wholeReport } from "../status/testing.ts";
import { refusal } from "./may.ts";
import { away, inMaintenance, standby, whole } from "./testing.ts";

const holding = { lineage: null, full: false, takeover: null, left: false, surrendered: null };
/** As node2 sees it: whether it may go depends on node1. */
const seen = (change: Partial<Report>) => judge(fromMachine(wholeReport("node2", change)));

test("at 1+1 either machine may go", () => {
  for (const machine of ["node1", "node2"])
    for (const deed of ["reboot", "standby"] as const)
      assert.equal(refusal(whole(), machine, deed, false), undefined);
});

test("who serves alone may not go, and the sentence says why and what --force costs; the other may", () => {
  const problem = refusal(away(), "node1", "reboot", false);
  assert.equal(problem?.code, "DUET-E-PLANNED-DEGRADED");
  assert.match(
    problem?.what ?? "",
    /^it can't be told whether node2 serves .*: with --force nobody serves until node1 is back, and nothing that was acknowledged is lost$/,
  );
  assert.match(
    refusal(standby(), "node1", "standby", false)?.what ?? "",
    /^etcd on node2 does not run: with --force nobody serves until `duet unstandby node1`/,
  );
  assert.equal(refusal(away(), "node2", "standby", false), undefined);
  assert.equal(refusal(standby(), "node2", "reboot", false), undefined);
  assert.equal(refusal(away(), "node1", "reboot", true), undefined, "with --force");
});

test("each way in which the other could not serve alone is a reason", () => {
  const other = (change: Parameters<typeof sight>[1]) =>
    seen({ etcd: { node1: sight("node1", change), node2: sight("node2") } });
  const reasons: readonly (readonly [RegExp, ReturnType<typeof seen>])[] = [
    [/^node1 is a learner, and catches up:/, other({ role: "learner", members: null })],
    [/^etcd on node1 has no leader:/, other({ role: "voter", leader: null, members: null })],
    [/^etcd on node1 does not answer a read/, other({ members: null })],
    [/^node1 votes, and is not known yet to hold everything:/, seen({ peerSays: known(holding) })],
    [/^it can't be told whether node1 is full \(.*\):/, seen({ peerSays: known(null) })],
    [
      /^it can't be told whether node1 serves \(silent\):/,
      seen({ etcd: { node1: unknown("silent"), node2: sight("node2") } }),
    ],
  ];
  for (const [reason, status] of reasons) {
    const problem = refusal(status, "node2", "reboot", false);
    assert.match(problem?.what ?? "", reason);
  }
});

test("a machine that Pacemaker takes away already is no one to count on", () => {
  const { pacemaker } = wholeReport("node2");
  assert.ok(pacemaker.known);
  const leaving = known({ ...pacemaker.value, nodes: { node1: "shutdown", node2: "online" } });
  assert.match(
    refusal(seen({ pacemaker: leaving }), "node2", "reboot", false)?.what ?? "",
    /^node1 is shutdown for Pacemaker:/,
  );
});

test("in maintenance nothing is planned, with --force neither", () => {
  for (const force of [true, false])
    assert.equal(refusal(inMaintenance(), "node2", "reboot", force)?.code, "DUET-E-PLANNED-MAINTENANCE");
});
