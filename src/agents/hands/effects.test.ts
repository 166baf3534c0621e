import assert from "node:assert/strict";
import { test } from "node:test";
import { turns } from "../../decide/race.ts";
import { fencePolicy } from "../../render/policy.ts";
import { leaveTimes, siteTimes } from "./times.ts";
import { twoMachines } from "./testing-site.ts";

test("the fence device is given the time that a whole round of turns takes, and the wait for the last one after it", () => {
  assert.equal(fencePolicy.turns_waited.value, turns + turns - 1);
  const times = siteTimes(twoMachines({ node1: "https://203.0.113.1", node2: "https://203.0.113.2" }));
  assert.equal(times.bmc_call_ms, 1_000);
  const stop = leaveTimes(times);
  assert.ok(stop.etcd_stop_ms < times.etcd_stop_ms);
  assert.ok(stop.etcd_call_ms < times.etcd_call_ms);
});
