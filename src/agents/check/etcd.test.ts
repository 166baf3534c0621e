import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeEtcd, judgeEtcds } from "./etcd.ts";

const seen = (installed: string | null, running: string | null, cluster: string | null) => {
  const [finding] = judgeEtcd("node1", { installed, running, cluster });
  return `${finding?.mark}: ${finding?.detail}`;
};

test("a machine's etcd: what is installed, what runs, what its cluster works by", () => {
  assert.deepEqual(judgeEtcd("node1", undefined), []);
  assert.equal(
    seen("3.6.16", "3.6.16", "3.6.0"),
    "ok: 3.6.16 is installed; 3.6.16 runs; its cluster works by 3.6",
  );
  assert.equal(seen("3.6.16", null, null), "ok: 3.6.16 is installed");
  assert.match(seen("3.5.16", "3.5.16", "3.5.0"), /^ok: .*before 3\.6 comes 3\.5\.26 or later, on both$/);
  assert.match(seen("3.5.16", "3.6.16", "3.6.0"), /^fail: .*its next start would be refused$/);
  assert.match(seen("3.6.16", "3.5.33", "3.5.0"), /^warn: 3\.6\.16 is installed; 3\.5\.33 runs; /);
  assert.match(seen(null, "3.6.16", "3.6.0"), /^note: .*can't be told.*3\.6\.16 runs/);
  assert.match(seen("3.6.16", "3.6.16", "not_decided"), /^ok: 3\.6\.16 is installed; 3\.6\.16 runs$/);
});

test("two machines with different ones are told of as a site", () => {
  const of = (name: string, running: string | null, installed: string | null = running) => ({
    name,
    etcd: { running, installed, cluster: null },
  });
  assert.deepEqual(judgeEtcds([of("node1", "3.6.16"), of("node2", "3.6.1")]), []);
  assert.deepEqual(judgeEtcds([of("node1", "3.6.16"), { name: "node2", etcd: undefined }]), []);
  const [finding] = judgeEtcds([of("node1", "3.5.33"), of("node2", null, "3.6.16")]);
  assert.match(finding?.detail ?? "", /^node1: 3\.5\.33, node2: 3\.6\.16: /);
  assert.equal(finding?.mark, "warn");
});
