import assert from "node:assert/strict";
import { test } from "node:test";
import { readSite } from "../site/read.ts";
import { minimal } from "../site/samples.ts";
import { fenceTimesIn, parseLasting } from "./fence-times.ts";

const { site } = readSite(minimal, "site.yaml");
assert.ok(site !== undefined);
const at = "2026-01-01T00:00:00.000Z";
const times = {
  bmc: "https://203.0.113.12",
  calls: 15,
  call_ms_median: 20,
  call_ms_worst: 80,
  read_at: at,
  off: { worst_ms: 1200, at },
};
const nodes = (value: string) => `<nodes>
  <node id="1" uname="node1"/>
  <node id="2" uname="node2">
    <instance_attributes id="nodes-2">
      <nvpair id="a" name="duet-fence-times" value="${value.replaceAll('"', "&quot;")}"/>
      <nvpair id="b" name="duet-services" value="crio kubelet"/>
    </instance_attributes>
  </node>
</nodes>`;
const read = (value: string) => fenceTimesIn(site, parseLasting(nodes(value)));

test("what was written for a machine is read by both, and nothing of one that was not measured", () => {
  assert.deepEqual([...read(JSON.stringify(times))], [["node2", times]]);
  const { off: _, ...calls } = times;
  assert.deepEqual([...read(JSON.stringify(calls))], [["node2", calls]]);
  assert.deepEqual([...parseLasting(nodes("x")).keys()], ["node1", "node2"]);
  assert.equal(parseLasting(nodes("x")).get("node2")?.get("duet-services"), "crio kubelet");
});

test("times of another BMC, and what is no times, count as never measured", () => {
  for (const text of [
    "",
    "{}",
    "nonsense",
    JSON.stringify({ ...times, bmc: "https://203.0.113.99" }),
    JSON.stringify({ ...times, off: { worst_ms: -1, at } }),
  ])
    assert.equal(read(text).size, 0, text);
});
