import assert from "node:assert/strict";
import { test } from "node:test";
import { times_default } from "../../act/times.ts";
import { siteTimes } from "./times.ts";
import { twoMachines } from "./testing-site.ts";

const site = twoMachines({ node1: "https://203.0.113.1", node2: "https://203.0.113.2" });

test("an effect at a BMC has the time of all of its calls", () => {
  const of = (bmc_call_ms: number) =>
    siteTimes({ ...site, timeouts: { ...site.timeouts, bmc_call_ms, fence_ms: 60_000 } });
  assert.deepEqual([of(8_000).bmc_ms, of(8_000).bmc_call_ms], [32_000, 8_000]);
  assert.equal(of(1_000).tag_ms, times_default.tag_ms);
  assert.equal(of(60_000).tag_ms, 300_000, "a slow BMC is given the time to take a tag");
});
