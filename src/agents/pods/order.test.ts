import assert from "node:assert/strict";
import { test } from "node:test";
import { podsOperations, podsPolicy } from "../../render/policy.ts";
import { usual } from "./container.ts";
import { isOfPod, kindOf, type Kind, type PodProcess, signalsAt, times } from "./order.ts";

const id = "0123456789abcdef".repeat(4);

test("a pod's process is known by its control group, by either way to name it, and nothing else is one", () => {
  for (const cgroup of [
    `0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1.slice/crio-${id}.scope`,
    `12:memory:/kubepods/besteffort/pod1/crio-${id}\n1:name=systemd:/kubepods/besteffort/pod1/crio-${id}`,
    `0::/system.slice/crio-conmon-${id}.scope`,
  ])
    assert.ok(isOfPod(cgroup), cgroup);
  for (const cgroup of [
    "0::/system.slice/crio.service",
    "0::/system.slice/kubelet.service",
    "0::/system.slice/duet-etcd.service",
    "0::/user.slice/kubepods-notes.scope",
    "",
  ])
    assert.ok(!isOfPod(cgroup), cgroup);
});

test("CRI-O's monitors, a pod's first process and the API server are told from everything else", () => {
  assert.deepEqual(
    ["conmon", "conmonrs", "pause", "kube-apiserver", "kube-controller", "httpd"].map((name) =>
      kindOf({ name }),
    ),
    ["monitor", "monitor", "sandbox", "api", "other", "other"],
  );
});

const process = (pid: number, kind: Kind, parent = 1, wish = usual): PodProcess => ({
  pid,
  parent,
  name: kind,
  kind,
  wish,
});
/** A monitor and what it started, and a child of that. */
const container = (pid: number, kind: Kind, wish = usual): readonly PodProcess[] => [
  process(pid, "monitor"),
  process(pid + 1, kind, pid, wish),
  process(pid + 2, kind, pid + 1, wish),
];
const told = (elapsed_ms: number, all: readonly PodProcess[], asked: Readonly<Record<number, number>> = {}) =>
  signalsAt(elapsed_ms, all, new Map(Object.entries(asked).map(([pid, at]) => [Number(pid), at]))).map(
    ({ pid, signal }) => `${pid} ${signal}`,
  );

test("only the first process of a container is told, once, by its own signal, and its monitor never", () => {
  const all = [...container(10, "other"), ...container(20, "other", { ...usual, signal: "SIGQUIT" })];
  assert.deepEqual(told(0, all), ["11 SIGTERM", "21 SIGQUIT"]);
  assert.deepEqual(told(100, all, { 11: 0, 21: 0 }), []);
  // The first process ended and left a child behind, in the machine's own process namespace.
  assert.deepEqual(told(200, [process(10, "monitor"), process(12, "other", 10)], { 11: 0 }), ["12 SIGTERM"]);
});

test("the API server is told when all others have ended, and the sandboxes after it", () => {
  const [api, pod, sandbox] = [container(10, "api"), container(20, "other"), container(30, "sandbox")];
  assert.deepEqual(told(0, [...api, ...pod, ...sandbox]), ["21 SIGTERM"]);
  assert.deepEqual(told(500, [...api, ...sandbox], { 21: 0 }), ["11 SIGTERM"]);
  assert.deepEqual(told(900, sandbox, { 11: 500 }), ["31 SIGTERM"]);
  assert.deepEqual(told(1_000, [process(30, "monitor")], { 31: 900 }), ["30 SIGTERM"]);
});

test("the API server waits for nobody for longer than half of the time: its etcd is to leave", () => {
  const all = [...container(10, "api"), ...container(20, "other"), ...container(30, "sandbox")];
  assert.deepEqual(told(times.api_ms - 1, all, { 21: 0 }), []);
  assert.deepEqual(told(times.api_ms, all, { 21: 0 }), ["11 SIGTERM"]);
});

test("who has had its grace is killed, and in the end everything is", () => {
  const short = container(20, "other", { ...usual, grace_ms: 1_000 });
  assert.deepEqual(told(999, short, { 21: 0 }), []);
  assert.deepEqual(told(1_000, short, { 21: 0 }), ["21 SIGKILL"]);
  const long = container(20, "other", { ...usual, grace_ms: 3_600_000 });
  assert.deepEqual(told(times.all_ms - 1, long, { 21: 0 }), []);
  assert.deepEqual(told(times.all_ms, long, { 21: 0 }), ["20 SIGKILL", "21 SIGKILL", "22 SIGKILL"]);
});

test("all of it is within what the agent is given, and that within Pacemaker's time-out", () => {
  const { all_s, api_s, marked_s, killed_s, hung_s } = podsPolicy;
  const [stop] = podsOperations.filter(({ name }) => name === "stop");
  assert.ok(marked_s.value < api_s.value && api_s.value < all_s.value);
  assert.ok(all_s.value + killed_s.value + 10 < hung_s.value);
  assert.ok(stop !== undefined && hung_s.value + 10 < stop.timeout_s);
});
