import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { fakeApi } from "../kubernetes/testing.ts";
import { leasesOf, releaseAll } from "./leases.ts";

const fake = await fakeApi();
after(() => fake[Symbol.asyncDispose]());
const api = fake.as("duet:machine:node1");
const doors = leasesOf(() => Promise.resolve(api));
const path = (name: string): string => `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${name}`;
const put = (name: string, spec?: object) =>
  fake.objects.set(path(name), {
    metadata: { name, resourceVersion: "41" },
    ...(spec === undefined ? {} : { spec }),
  });
beforeEach(() => {
  fake.objects.clear();
  fake.asked.length = 0;
});

test("a lease is read with its version; one that nobody has, or ever had, has no holder", async () => {
  put("kube-scheduler", { holderIdentity: "node2_7f", renewTime: "2026-11-20T10:00:00.250000Z" });
  assert.deepEqual(await doors.lease("kube-scheduler"), {
    ok: true,
    value: {
      holder: "node2_7f",
      renewed_ms: Date.parse("2026-11-20T10:00:00.250Z"),
      resourceVersion: "41",
    },
  });
  for (const spec of [{ holderIdentity: "", renewTime: "?" }, { holderIdentity: null }, {}, undefined]) {
    put("kube-scheduler", spec);
    assert.deepEqual(await doors.lease("kube-scheduler"), {
      ok: true,
      value: { holder: undefined, renewed_ms: undefined, resourceVersion: "41" },
    });
  }
  assert.deepEqual(await doors.lease("kube-controller-manager"), { ok: true, value: undefined });
});

test("a release names the version that was seen", async () => {
  put("kube-scheduler", { holderIdentity: "node2_7f" });
  assert.ok((await doors.release("kube-scheduler", "41")).ok);
  assert.deepEqual(fake.objects.get(path("kube-scheduler")), {
    metadata: { resourceVersion: "41" },
    spec: { holderIdentity: "" },
  });
});

test("of a machine that goes those are released that it has", async () => {
  put("kube-controller-manager", { holderIdentity: "node1_7f" });
  put("kube-scheduler", { holderIdentity: "node2_81" });
  assert.deepEqual(await releaseAll(doors, "node1"), ["kube-controller-manager"]);
  assert.deepEqual(await releaseAll(doors, "node3"), []);
});

test("an API that fails, or that nobody may call yet, is a failure, and no lease", async () => {
  fake.refusals = 1;
  const refused = await doors.lease("kube-scheduler");
  assert.ok(!refused.ok && refused.failure.status === 503);
  const early = leasesOf(() => Promise.resolve(undefined));
  assert.ok(!(await early.lease("kube-scheduler")).ok && !(await early.release("kube-scheduler", "1")).ok);
  assert.deepEqual(await releaseAll(early, "node1"), []);
});
