import {
  type ApiSight,
  type ClusterSight,
  type EtcdSight,
  type Known,
  known,
  type Report,
  unknown,
} from "./report.ts";
import type { Views } from "./status.ts";

/** For tests: a Sunday in November. */
export const now_ms = Date.UTC(2026, 10, 15, 18, 0, 0);

const members = [
  { id: "a1", name: "node1", learner: false },
  { id: "b2", name: "node2", learner: false },
];

export const sight = (name: string, change: Partial<EtcdSight> = {}): Known<EtcdSight> =>
  known({
    version: "3.5.16",
    cluster: "3.5.0",
    id: name === "node1" ? "a1" : "b2",
    role: name === "node1" ? "leader" : "voter",
    leader: "a1",
    index: 1000,
    db_bytes: 20_480,
    members,
    why: "",
    alarms: [],
    ...change,
  });

const device = (on: string) => ({ on, since_ms: now_ms - 600_000, interval_s: 60, failed: null });
const holding = {
  lineage: { epoch: 3, owner: "node1" },
  full: true,
  takeover: null,
  left: false,
  surrendered: null,
};
const running = (name: string, at_ms: number) => ({
  rule: "R-RUNNING",
  do: "serve-as-is",
  sentence: `etcd runs on ${name}, has a leader, and nothing is left to do: it goes on`,
  at_ms,
});

/** Of an hour ago. */
const wholeProof = (by: string, target: string) => ({
  by,
  target,
  at_ms: now_ms - 3_600_000,
  ways: [{ way: "BMC" as const, ok: true, why: "", fix: "", code: null }],
  good_ms: now_ms - 3_600_000,
  failing_ms: null,
});

/** What a machine tells while all is well. */
export function wholeReport(name: "node1" | "node2", change: Partial<Report> = {}): Report {
  const peer = name === "node1" ? "node2" : "node1";
  return {
    format: 1,
    machine: name,
    duet: "0.1.0",
    at_ms: now_ms,
    up_s: 7200,
    setup: { state: "done", at: "2026-11-01T00:00:00.000Z" },
    corosync: known({ quorate: true, members: ["node1", "node2"], waits: false }),
    pacemaker: known({
      dc: "node1",
      nodes: { node1: "online", node2: "online" },
      devices: { node1: device("node2"), node2: device("node1") },
      fences: [],
      failures: [],
    }),
    holding: known(holding),
    unit: known({ active: "active", masked: false, failedStarts: 0 }),
    etcd: { node1: sight("node1"), node2: sight("node2") },
    peerSays: known(holding),
    peerSaying: known(running(peer, now_ms - 4_000)),
    power: {},
    said: { start: running(name, now_ms - 3_000) },
    lastOff: known(null),
    proof: known(wholeProof(name, peer)),
    rotations: {},
    ...change,
  };
}

export const readyApi: ApiSight = { address: "192.0.2.10", ready: true, why: "" };

/** The same with Kubernetes: both kubelets run for an hour, and the address is on node1. */
export function apiReport(
  name: "node1" | "node2",
  api: ApiSight = readyApi,
  change: Partial<ClusterSight> = {},
): Report {
  const whole = wholeReport(name);
  const cluster = whole.pacemaker.known ? whole.pacemaker.value : undefined;
  if (cluster === undefined) throw new Error("bug: the whole report has no Pacemaker");
  const hour_ago_ms = now_ms - 3_600_000;
  return {
    ...whole,
    api: known(api),
    pacemaker: known({
      ...cluster,
      runs: { node1: ["crio", "kubelet", "etcd", "duet-api"], node2: ["crio", "kubelet", "etcd"] },
      kubelets_ms: { node1: hour_ago_ms, node2: hour_ago_ms },
      ...change,
    }),
  };
}

/** As `duet status` on a machine sees it. */
export const fromMachine = (report: Report, power: Views["power"] = {}): Views => ({
  site: "shop",
  machines: ["node1", "node2"],
  noOutlet: [],
  from: report.machine,
  at_ms: now_ms,
  reports: {
    node1: report.machine === "node1" ? known(report) : unknown("what only node1 knows is told there"),
    node2: report.machine === "node2" ? known(report) : unknown("what only node2 knows is told there"),
  },
  power,
});

/** As an operator elsewhere sees it. */
export const fromSeat = (node1: Known<Report>, node2: Known<Report>, power: Views["power"] = {}): Views => ({
  site: "shop",
  machines: ["node1", "node2"],
  noOutlet: [],
  from: undefined,
  at_ms: now_ms,
  reports: { node1, node2 },
  power,
});

/** Of node1, which serves without node2. */
export const loneReport = (fences: ClusterSight["fences"], change: Partial<Report> = {}): Report =>
  wholeReport("node1", {
    corosync: known({ quorate: true, members: ["node1"], waits: false }),
    pacemaker: known({
      dc: "node1",
      nodes: { node1: "online", node2: "offline" },
      devices: {
        node1: { on: null, since_ms: null, interval_s: 0, failed: null },
        node2: { on: "node1", since_ms: now_ms - 600_000, interval_s: 60, failed: null },
      },
      fences,
      failures: [],
    }),
    etcd: {
      node1: sight("node1", { members: [{ id: "a1", name: "node1", learner: false }] }),
      node2: unknown("no connection to its etcd: no answer within 700 ms"),
    },
    peerSays: known(null),
    peerSaying: known(null),
    ...change,
  });
