import assert from "node:assert/strict";
import { test } from "node:test";
import { times_default } from "../../act/times.ts";
import { outletAnswer_ms, siteTimes } from "./times.ts";
import { twoMachines } from "./testing-site.ts";

const site = twoMachines({ node1: "https://203.0.113.1", node2: "https://203.0.113.2" });

test("an effect at a BMC has the time of all of its calls", () => {
  const of = (bmc_call_ms: number) =>
    siteTimes({ ...site, timeouts: { ...site.timeouts, bmc_call_ms, fence_ms: 60_000 } });
  assert.deepEqual([of(8_000).bmc_ms, of(8_000).bmc_call_ms], [32_000, 8_000]);
  assert.equal(of(1_000).tag_ms, times_default.tag_ms);
  assert.equal(of(60_000).tag_ms, 300_000, "a slow BMC is given the time to take a tag");
});

test("an outlet's answer has the time of its command, and where there are several no more than a hurried look", () => {
  const timeouts = { ...site.timeouts, bmc_call_ms: 8_000, fence_ms: 60_000 };
  const of = (turn_ms: number, outlets: number, bmc_call_ms = 8_000) =>
    outletAnswer_ms({ ...site, timeouts: { ...timeouts, bmc_call_ms } }, turn_ms, outlets);
  assert.deepEqual([of(70_000, 1), of(70_000, 2)], [5_000, 3_000]);
  assert.deepEqual([of(10_000, 1), of(10_000, 2)], [2_500, 2_500], "the shortest turns that a site can have");
  assert.equal(of(70_000, 1, 1_000), 1_000, "no call has longer");
});
