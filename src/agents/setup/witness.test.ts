import assert from "node:assert/strict";
import { test } from "node:test";
import { twoBmcs } from "../../../lab/bmc/testing-two.ts";
import { DuetError } from "../../base/problem.ts";
import { twoMachines } from "../hands/testing-site.ts";
import type { TagTest } from "../hands/witness.ts";
import { isUnderWay, laterThan, newest, refuseOthers } from "./witness.ts";

const site = twoMachines({ node1: "https://192.0.2.1", node2: "https://192.0.2.2" });
const seen = (at: string, result: TagTest["result"], bmc = "https://192.0.2.1"): TagTest => ({
  bmc,
  result,
  said: "",
  at: `2026-11-${at}T00:00:00.000Z`,
});
const lasting = (text: string) => new Map([["node1", new Map([["duet-tag-test", text]])]]);

test("of what a machine has and what the cluster has, the later test counts", () => {
  const own = { node1: seen("10", "kept") };
  const later = seen("11", "forgot");
  assert.deepEqual(newest(site, own, lasting(JSON.stringify(later))), { node1: later });
  assert.deepEqual(newest(site, own, lasting(JSON.stringify(seen("09", "forgot")))), own);
  assert.deepEqual(newest(site, {}, lasting(JSON.stringify(later))), { node1: later });
});

test("a test is later than the one before it, whatever became of the clock", () => {
  const now_ms = Date.parse("2026-11-16T00:00:00.000Z");
  assert.equal(laterThan(undefined, now_ms), "2026-11-16T00:00:00.000Z");
  assert.equal(laterThan(seen("10", "kept"), now_ms), "2026-11-16T00:00:00.000Z");
  const before = seen("30", "kept");
  const later = { ...before, result: "forgot", at: laterThan(before, now_ms) } as const;
  assert.deepEqual(newest(site, { node1: before }, lasting(JSON.stringify(later))), { node1: later });
});

test("a test under way, one of another BMC, and nonsense are no results", () => {
  for (const text of [
    "testing since 2026-11-10T00:00:00.000Z",
    JSON.stringify(seen("11", "kept", "https://192.0.2.9")),
    "{",
  ])
    assert.deepEqual(newest(site, {}, lasting(text)), {});
});

test("a test that began long ago is not under way", () => {
  const began = Date.parse("2026-11-10T00:00:00.000Z");
  const told = "testing since 2026-11-10T00:00:00.000Z";
  assert.equal(isUnderWay(told, began + 60_000), true);
  assert.equal(isUnderWay(told, began + 3_600_000), false);
  assert.equal(isUnderWay(undefined, began), false);
  assert.equal(isUnderWay("{}", began), false);
});

test("a BMC with the tag of another duet site is not tested: the test would take that site's witness away", async () => {
  await using lab = await twoBmcs();
  await lab.write("node2", "rack 7");
  await refuseOthers(lab.from("node1"));
  await lab.write("node2", "duet:0123456789ab:7:1");
  await assert.rejects(
    refuseOthers(lab.from("node1")),
    (error) => error instanceof DuetError && error.problems[0]?.code === "DUET-E-WITNESS-OTHER-SITE",
  );
});
