import assert from "node:assert/strict";
import { test } from "node:test";
import { cibConfiguration } from "../src/render/cib.ts";
import { withServices } from "../src/render/services.ts";
import { readSite } from "../src/site/read.ts";
import { minimal } from "../src/site/samples.ts";
import { cibOf, complaints, done, plan, type Said, saying } from "./testing-scheduler.ts";

// In which order the machine that goes ends what, and that nothing else ever ends its pods.

function cib(more = ""): string {
  const { site } = readSite(`${minimal}kubernetes: {}\napi: { address: "192.0.2.10" }\n${more}`, "site.yaml");
  assert.ok(site !== undefined);
  const installed = new Map(site.machines.map(({ name }) => [name, new Set(["crio", "kubelet"] as const)]));
  return cibOf(withServices(cibConfiguration(site, new Map()).xml, site, installed).xml);
}

/** Both etcds promoted, both API servers ready, the address on node1. */
const well = { "master-etcd": "10", "duet-api": "100" };
const going = { ...well, shutdown: "1700000000" };
const up = saying(
  await done(saying(await done(cib(), "--node-up", "node1", "--node-up", "node2"), [well, well])),
  [well, well],
);
const said = (...of: Said) => saying(up, of);

test("crm_verify accepts the configuration, and a whole cluster has nothing to do", async () => {
  for (const text of [cib(), cib("fencing: { stop_failure: fence }\n")])
    assert.equal(await complaints(text), "");
  assert.deepEqual((await plan(up)).deeds, []);
});

/** Whether an action waits for another, however many stand between them. */
function waits(before: (key: string) => readonly string[] | undefined, last: string, first: string): boolean {
  const seen = new Set<string>();
  const open = [last];
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    if (key === first) return true;
    if (seen.has(key)) continue;
    seen.add(key);
    open.push(...(before(key) ?? []));
  }
  return false;
}

const order = [
  ["duet-api_stop_0", "duet-pods_stop_0"],
  ["kubelet_stop_0", "duet-pods_stop_0"],
  ["duet-pods_stop_0", "crio_stop_0"],
  ["duet-pods_stop_0", "etcd_stop_0"],
] as const;

for (const [what, of] of [
  ["shuts down", said(going, well)],
  ["goes on standby", said({ ...well, standby: "on" }, well)],
  ["shuts down together with its peer", said(going, going)],
] as const)
  test(`a machine that ${what} hands the address on, ends its kubelet and its pods, and then lets etcd leave`, async () => {
    const { deeds, before } = await plan(of);
    assert.ok(
      deeds.some((deed) => deed.startsWith("Stop duet-pods:0 ( node1 )")),
      deeds.join("; "),
    );
    for (const [first, then] of order) {
      assert.ok(waits(before, then, first), `${then} waits for ${first}`);
      assert.ok(!waits(before, first, then));
    }
  });

test("a kubelet that can't be stopped does not keep etcd from its leave, and neither do pods that don't end", async () => {
  for (const failed of ["kubelet_stop_0@node1=1", "duet-pods_stop_0@node1=1"]) {
    const { deeds } = await plan(await done(said(going, well), "--op-fail", failed));
    assert.ok(
      deeds.some((deed) => /^Stop etcd:0 \(.* node1 \)/.test(deed)),
      `${failed}: ${deeds.join("; ")}`,
    );
    assert.ok(!deeds.some((deed) => deed.startsWith("Fence")), deeds.join("; "));
  }
});

test("what fails and is started again ends no pod", async () => {
  for (const failed of [
    "kubelet_monitor_10000@node1=7",
    "crio_monitor_10000@node1=7",
    "etcd_monitor_10000@node1=1",
    "duet-api_monitor_10000@node1=7",
  ]) {
    const { deeds } = await plan(said(well, well), "--op-inject", failed);
    assert.ok(deeds.length > 0, failed);
    assert.ok(!deeds.some((deed) => deed.includes("duet-pods")), deeds.join("; "));
  }
});

test("a lost peer's are gone with it, and the survivor's are not touched", async () => {
  const { deeds } = await plan(said(well, well), "--node-fail", "node1");
  assert.ok(deeds.some((deed) => deed.startsWith("Fence (off) node1")));
  assert.deepEqual(
    deeds.filter((deed) => deed.includes("duet-pods")),
    ["Stop duet-pods:0 ( node1 ) due to node availability"],
  );
});
