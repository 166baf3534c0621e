import assert from "node:assert/strict";
import { test } from "node:test";
import { judge } from "./judge.ts";
import { refused } from "./machine.ts";
import { type ApiSight, type ClusterSight, known, type Report, unknown, valueOf } from "./report.ts";
import { exitOf, type Status, type Views } from "./status.ts";
import { apiReport, fromMachine, fromSeat, now_ms, readyApi, sight, wholeReport } from "./testing.ts";

const closed: ApiSight = { ...readyApi, ready: false, why: "no connection: ECONNREFUSED" };
const withoutEtcd: ApiSight = {
  ...readyApi,
  ready: false,
  why: "failing checks: etcd, etcd-readiness",
  checks: ["etcd", "etcd-readiness"],
};
const codes = (status: Status) => status.wrong.map(({ code, where }) => `${where} ${code}`);
const told = (views: Views) => codes(judge(views));
const here = (api: ApiSight, change?: Partial<ClusterSight>) => fromMachine(apiReport("node1", api, change));
const nodes = (node1: string, node2 = "online") => ({ nodes: { node1, node2 } });

test("API servers that are ready, and an address on a machine: nothing is wrong", () => {
  for (const views of [here(readyApi), fromSeat(known(apiReport("node1")), known(apiReport("node2")))])
    assert.deepEqual([told(views), exitOf(judge(views))], [[], 0]);
});

test("an API server that is not ready is wrong at 1+1: with its reason there, and by its word elsewhere", () => {
  const status = judge(here(closed));
  assert.equal(status.whole, "1+1");
  assert.deepEqual(codes(status), ["node1 DUET-E-STATUS-API-NOT-READY"]);
  assert.equal(exitOf(status), 1);
  const [wrong] = status.wrong;
  assert.equal(wrong?.what, "its API server is not ready: no connection: ECONNREFUSED");
  assert.match(wrong?.fix ?? "", /`crictl ps -a` on node1 .* `journalctl -u kubelet`/);
  assert.equal(wrong?.page, "docs/errors/DUET-E-STATUS-API-NOT-READY.md");
  const elsewhere = judge(here(readyApi, { answers: { node1: true, node2: false } }));
  assert.deepEqual(codes(elsewhere), ["node2 DUET-E-STATUS-API-NOT-READY"]);
  assert.match(elsewhere.wrong[0]?.fix ?? "", /if it stays, `duet status` on node2 says why$/);
  assert.deepEqual(told(here(readyApi, { answers: { node1: true } })), [], "a peer that says nothing");
  const seat = fromSeat(known(apiReport("node1")), known(apiReport("node2", closed)));
  assert.deepEqual(told(seat), ["node2 DUET-E-STATUS-API-NOT-READY"]);
});

test("without `kubernetes:` nothing is said of an API", () => {
  const none = wholeReport("node1", { api: known(null) });
  const cluster = valueOf(none.pacemaker);
  assert.ok(cluster !== undefined);
  const pacemaker = known({ ...cluster, runs: {}, answers: { node1: false, node2: false } });
  assert.deepEqual(told(fromMachine({ ...none, pacemaker })), []);
});

test("an API server without its etcd is no second thing that is wrong", () => {
  const etcd = (node1: Report["etcd"][string]) => ({
    ...apiReport("node1", withoutEtcd),
    etcd: { node1, node2: sight("node2", { leader: null, members: null, why: "it has no leader" }) },
  });
  const down = judge(
    fromMachine({
      ...etcd(unknown(refused)),
      unit: known({ active: "failed", masked: false, failedStarts: 1 }),
    }),
  );
  assert.deepEqual(codes(down), ["node1 DUET-E-STATUS-ETCD-DOWN", "node2 DUET-E-STATUS-NO-LEADER"]);
  const leaderless = sight("node1", { role: "voter", leader: null, members: null, why: "it has no leader" });
  assert.deepEqual(told(fromMachine(etcd(leaderless))), [
    "node1 DUET-E-STATUS-NO-LEADER",
    "node2 DUET-E-STATUS-NO-LEADER",
  ]);
  // Frozen: nobody can tell what it does, and nothing is claimed of its API server.
  const frozen = fromMachine({
    ...apiReport("node1", readyApi, { answers: { node2: false } }),
    etcd: { node1: sight("node1"), node2: unknown("no complete answer within 2000 ms") },
  });
  assert.deepEqual(told(frozen), []);
});

test("a learner has no API server that could be ready", () => {
  const list = [
    { id: "a1", name: "node1", learner: false },
    { id: "b2", name: "node2", learner: true },
  ];
  const learner = sight("node2", { role: "learner", members: null, why: "rpc not supported for learner" });
  const views = fromMachine({
    ...apiReport("node2", withoutEtcd),
    etcd: { node1: sight("node1", { members: list }), node2: learner },
  });
  assert.deepEqual(told(views), ["node2 DUET-E-STATUS-CATCHING-UP"]);
});

test("an etcd that answers everybody but its API server is told, and that this is ordinary for some seconds", () => {
  const { wrong } = judge(here(withoutEtcd));
  assert.deepEqual(
    wrong.map(({ code }) => code),
    ["DUET-E-STATUS-API-NOT-READY"],
  );
  assert.match(wrong[0]?.what ?? "", /does not reach its etcd, which answers others/);
  assert.match(wrong[0]?.fix ?? "", /^for some seconds after etcd was away this is ordinary/);
});

test("a machine that is off, on standby, pending or leaving: only that is told", () => {
  const gone = {
    ...apiReport("node1", readyApi, { ...nodes("online", "offline"), answers: { node2: false } }),
    corosync: known({ quorate: true, members: ["node1"], waits: false }),
    etcd: {
      node1: sight("node1", { members: [{ id: "a1", name: "node1", learner: false }] }),
      node2: unknown("silent"),
    },
  };
  assert.deepEqual(told(fromMachine(gone, { node2: known("Off") })), ["node2 DUET-E-STATUS-PEER-AWAY"]);
  const own = (word: string) => {
    const report = apiReport("node2", withoutEtcd, nodes("online", word));
    return told(fromSeat(known(apiReport("node1", readyApi, nodes("online", word))), known(report)));
  };
  assert.deepEqual(own("standby"), ["node2 DUET-E-STATUS-STANDBY"]);
  assert.deepEqual(own("pending"), ["node2 DUET-E-STATUS-PEER-AWAY"]);
  assert.deepEqual(own("shutdown"), ["node2 DUET-E-STATUS-PEER-AWAY"]);
});

test("an inert machine runs no API server and has no address: only that it is inert is told", () => {
  const inert = {
    ...apiReport("node2", closed, { runs: {}, ...nodes("offline") }),
    corosync: known({ quorate: false, members: ["node2"], waits: true }),
    unit: known({ active: "inactive", masked: false, failedStarts: 0 }),
    etcd: { node1: unknown("no connection to its etcd"), node2: unknown(refused) },
  };
  assert.deepEqual(told(fromMachine(inert)), ["node2 DUET-E-STATUS-INERT"]);
  const alone = {
    ...apiReport("node1", readyApi, nodes("online", "offline")),
    corosync: known({ quorate: true, members: ["node1"], waits: false }),
    etcd: {
      node1: sight("node1", { members: [{ id: "a1", name: "node1", learner: false }] }),
      node2: unknown("silent"),
    },
  };
  assert.deepEqual(told(fromSeat(known(alone), known(inert))), ["node2 DUET-E-STATUS-INERT"]);
});

test("a machine that has just started is waited for: from its kubelet's start on, or while that is still to come", () => {
  const runs = (node2: readonly string[]) => ({ runs: { node1: ["duet-api"], node2: [...node2] } });
  const booting = (change: Partial<ClusterSight>) => [
    judge(fromMachine(apiReport("node2", closed, change))),
    judge(here(readyApi, { answers: { node2: false }, ...change })),
  ];
  for (const status of booting({ kubelets_ms: { node1: 0, node2: now_ms - 12_000 } })) {
    assert.deepEqual(codes(status), ["node2 DUET-E-STATUS-API-STARTING"]);
    assert.match(status.wrong[0]?.what ?? "", /its kubelet was started 12 s ago/);
    assert.equal(status.wrong[0]?.fix, "wait: it goes on by itself");
    assert.equal(exitOf(status), 1, "who waits for both to serve waits on");
  }
  for (const status of booting(runs(["etcd"]))) {
    assert.deepEqual(codes(status), ["node2 DUET-E-STATUS-API-STARTING"]);
    assert.match(status.wrong[0]?.what ?? "", /crio and kubelet do not run there yet/);
  }
  for (const [ago_ms, code] of [
    [119_000, "DUET-E-STATUS-API-STARTING"],
    [121_000, "DUET-E-STATUS-API-NOT-READY"],
    // The other's clock is ahead, by little and by much.
    [-30_000, "DUET-E-STATUS-API-STARTING"],
    [-600_000, "DUET-E-STATUS-API-NOT-READY"],
  ] as const)
    assert.deepEqual(told(here(closed, { kubelets_ms: { node1: now_ms - ago_ms } })), [`node1 ${code}`]);
  assert.deepEqual(told(here(closed, { kubelets_ms: {} })), ["node1 DUET-E-STATUS-API-NOT-READY"]);
});

test("what setup has not come to yet is setup's to tell", () => {
  const begun = { ...apiReport("node1", closed, { runs: {} }), setup: { state: "begun" } as const };
  assert.deepEqual(told(fromMachine(begun)), ["node1 DUET-E-STATUS-NOT-SET-UP"]);
});

test("a kubelet or CRI-O that failed is told, and explains an API server that is not ready while it is down", () => {
  const failure = {
    node: "node1",
    resource: "crio",
    what: "Pacemaker's start of crio failed: x",
    again: true,
  };
  const runs = (node1: readonly string[]) => ({ runs: { node1: [...node1] }, failures: [failure] });
  assert.deepEqual(told(here(closed, runs(["kubelet", "duet-api"]))), [
    "node1 DUET-E-STATUS-RESOURCE-FAILED",
  ]);
  assert.deepEqual(told(here(readyApi, runs(["kubelet", "duet-api"]))), [
    "node1 DUET-E-STATUS-RESOURCE-FAILED",
  ]);
  assert.deepEqual(
    told(here(closed, runs(["crio", "kubelet", "duet-api"]))),
    ["node1 DUET-E-STATUS-RESOURCE-FAILED", "node1 DUET-E-STATUS-API-NOT-READY"],
    "it runs again, and the failure is only not forgotten yet",
  );
});

test("an address on no machine is told once, with who says why", () => {
  const services = ["crio", "kubelet", "etcd"];
  const nowhere = { runs: { node1: services, node2: services } };
  const status = judge(here(readyApi, nowhere));
  assert.deepEqual(codes(status), ["shop DUET-E-STATUS-API-ADDRESS"]);
  assert.equal(status.wrong[0]?.what, "the API's address 192.0.2.10 is on no machine");
  assert.match(status.wrong[0]?.fix ?? "", /`crm_resource --why --resource duet-api` on node1/);
  assert.equal(exitOf(status), 1);
  assert.deepEqual(told(here({ ...readyApi, address: null }, nowhere)), [], "a load balancer has it");
  const failure = {
    node: "node1",
    resource: "duet-api",
    what: "Pacemaker's start of it failed: x",
    again: true,
  };
  assert.deepEqual(told(here(readyApi, { ...nowhere, failures: [failure] })), [
    "node1 DUET-E-STATUS-RESOURCE-FAILED",
  ]);
  assert.deepEqual(told(here(readyApi, { ...nowhere, maintenance: true })), [
    "shop DUET-E-STATUS-MAINTENANCE",
  ]);
  const begun = { ...apiReport("node1", readyApi, nowhere), setup: { state: "begun" } as const };
  assert.deepEqual(told(fromMachine(begun)), ["node1 DUET-E-STATUS-NOT-SET-UP"]);
  const dark = sight("node1", { role: "voter", leader: null, members: null, why: "it has no leader" });
  assert.deepEqual(
    told(
      fromMachine({
        ...apiReport("node1", withoutEtcd, nowhere),
        etcd: { node1: dark, node2: unknown("no complete answer") },
      }),
    ),
    ["node1 DUET-E-STATUS-NO-LEADER"],
    "nobody serves: an address would lead nowhere",
  );
});
