import assert from "node:assert/strict";
import { test } from "node:test";
import { apiText } from "./api.ts";
import { parseClusterSight } from "./cluster.ts";
import { judge } from "./judge.ts";
import { type ApiSight, known, type Report, unknown, valueOf } from "./report.ts";
import { apiReport, fromMachine, fromSeat, readyApi, wholeReport } from "./testing.ts";
import { statusText } from "./text.ts";

const report = (
  name: "node1" | "node2",
  api: ApiSight,
  on: string | undefined,
  answers: Record<string, boolean> = {},
): Report => apiReport(name, api, { runs: on === undefined ? {} : { [on]: ["etcd", "duet-api"] }, answers });
const said = (views: Parameters<typeof judge>[0]): string => {
  const { api } = judge(views);
  return api === null ? "" : apiText(api);
};

test("a site without API servers of duet's, or of an older duet, has no word of them", () => {
  for (const each of [wholeReport("node1"), wholeReport("node1", { api: known(null) })]) {
    assert.equal(said(fromMachine(each)), "");
    assert.doesNotMatch(
      statusText(judge(fromMachine(each)), 80, (_, text) => text),
      /API/,
    );
  }
});

test("where the address is, and who answers: each by its own word, the peer's by its last", () => {
  const here = report("node1", readyApi, "node2", { node1: true, node2: false });
  assert.equal(
    said(fromMachine(here)),
    "192.0.2.10 is on node2; node1: ready; node2: NOT READY (by its own word)",
  );
  const there = report("node2", { ...readyApi, ready: false, why: "failing checks: etcd" }, "node2", {
    node2: true,
  });
  assert.equal(
    said(fromSeat(known(here), known(there))),
    "192.0.2.10 is on node2; node1: ready; node2: NOT READY (failing checks: etcd)",
  );
  assert.match(
    statusText(judge(fromMachine(here)), 120, (_, text) => text),
    /\nAPI +192\.0\.2\.10 is on node2; /,
  );
});

test("what nobody tells is unknown, and an address that nobody has is told loudly", () => {
  const silent = { ...report("node1", readyApi, undefined), pacemaker: unknown("Pacemaker is not up") };
  assert.equal(said(fromMachine(silent)), "where 192.0.2.10 is, is unknown; node1: ready; node2: unknown");
  assert.match(said(fromMachine(report("node1", readyApi, undefined))), /^192\.0\.2\.10 is on NO machine; /);
});

test("a machine that is inert, or has just come up, does not know where the address is; its peer, where it can be asked, does", () => {
  const inert = {
    ...report("node1", { ...readyApi, ready: false, why: "no connection: ECONNREFUSED" }, undefined),
    corosync: known({ quorate: false, members: ["node1"], waits: true }),
  };
  assert.equal(
    said(fromMachine(inert)),
    "where 192.0.2.10 is, is unknown; node1: NOT READY (no connection: ECONNREFUSED); node2: unknown",
  );
  const booting = apiReport("node1", readyApi, {
    runs: {},
    nodes: { node1: "pending", node2: "unclean" },
  });
  assert.match(said(fromMachine(booting)), /^where 192\.0\.2\.10 is, is unknown; /);
  const serving = report("node2", readyApi, "node2");
  for (const each of [inert, booting])
    assert.match(said(fromSeat(known(each), known(serving))), /^192\.0\.2\.10 is on node2; /);
});

test("of a machine that is gone the last word says nothing", () => {
  const alone = report("node1", readyApi, "node1", { node1: true, node2: true });
  const cluster = valueOf(alone.pacemaker);
  assert.ok(cluster !== undefined);
  const lost = { ...alone, pacemaker: known({ ...cluster, nodes: { node1: "online", node2: "offline" } }) };
  assert.match(said(fromMachine(lost)), /node2: unknown$/);
});

test("with a load balancer there is no address to tell of", () => {
  assert.equal(
    said(fromMachine(report("node1", { ...readyApi, address: null }, undefined))),
    "node1: ready; node2: unknown",
  );
});

test("what the machines said is read from Pacemaker", () => {
  const answersOf = (node1: string, node2: string) =>
    parseClusterSight(`<pacemaker-result><node_attributes>
      <node name="node1"><attribute name="duet-api" value="${node1}"/></node>
      <node name="node2"><attribute name="master-etcd" value="7"/><attribute name="duet-api" value="${node2}"/></node>
    </node_attributes></pacemaker-result>`).answers;
  assert.deepEqual(answersOf("0", "100"), { node1: false, node2: true });
  // One that does not answer, and whose connections still live; and one that does, on probation.
  assert.deepEqual(answersOf("20", "60"), { node1: false, node2: true });
});
