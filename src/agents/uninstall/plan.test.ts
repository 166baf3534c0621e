import assert from "node:assert/strict";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { DuetError } from "../../base/problem.ts";
import { siteText } from "../hands/testing-site.ts";
import { dropLeftPlan, dropPlan, type Plan, readPlan, sidesOf, writePlan } from "./plan.ts";
import { withoutPresets } from "./remove.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-uninstall-plan-"));
after(() => rm(folder, { recursive: true }));
const path = join(folder, "uninstall");
const plan: Plan = {
  format: 1,
  machine: "node2",
  site: siteText({ node1: "203.0.113.1", node2: "203.0.113.2" }),
  begun: "2026-11-16T00:00:00.000Z",
  last: false,
  force: null,
  services: ["kubelet"],
  tags: null,
};

test("a plan is found again, by root alone, until it is dropped", async () => {
  assert.equal(await readPlan(path), undefined);
  await writePlan(plan, path);
  assert.deepEqual(await readPlan(path), plan);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  await dropPlan(path);
  await dropPlan(path);
  assert.equal(await readPlan(path), undefined);
});

test("a machine that takes part drops the plan of an uninstall that was cut off, and of none that still leaves", async () => {
  assert.equal(await dropLeftPlan(path), false);
  await writePlan(plan, path);
  assert.equal(await dropLeftPlan(path), false);
  assert.deepEqual(await readPlan(path), plan);
  assert.equal(await dropLeftPlan(path, Date.now() + 11 * 60_000), true);
  assert.equal(await readPlan(path), undefined);
});

test("a plan that can't be read is told, and not taken for none", async () => {
  await writeFile(path, '{"format":1}');
  await assert.rejects(
    readPlan(path),
    (error) => error instanceof DuetError && error.problems[0]?.code === "DUET-E-UNINSTALL-PLAN",
  );
});

test("the two machines are known from the plan alone", () => {
  const { mine, theirs } = sidesOf(plan);
  assert.deepEqual([mine.name, theirs.name], ["node2", "node1"]);
  assert.throws(() => sidesOf({ ...plan, machine: "node3" }), DuetError);
});

test("only the presets of duet's units go", () => {
  const text = "enable duet-work.path\nenable ssh.service\ndisable duet-etcd.service\n# enable it\n";
  assert.equal(
    withoutPresets(text, ["duet-work.path", "duet-etcd.service"]),
    "enable ssh.service\n# enable it\n",
  );
});
