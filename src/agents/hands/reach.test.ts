import assert from "node:assert/strict";
import { test } from "node:test";
import { failed, success } from "../../act/effects.ts";
import { etcdNow, Reach } from "./reach.ts";
import { twoMachines } from "./testing-site.ts";

/** What the members' port says, one answer after the other, and the clients' port. */
const seen = async (probes: readonly boolean[], leads: "self" | "other" | "nobody") => {
  let asked = 0;
  const now = await etcdNow(
    async () => success(true),
    async () => probes[asked++] === true,
    { leads: async () => leads },
  );
  return { ...now, asked };
};

test("an etcd that missed a probe runs: it answered at its other port, or when it was asked again", async () => {
  assert.deepEqual(await seen([true], "nobody"), { running: true, leader: false, asked: 1 });
  assert.deepEqual(await seen([false], "self"), { running: true, leader: true, asked: 1 });
  assert.deepEqual(await seen([false], "other"), { running: true, leader: true, asked: 1 });
  assert.deepEqual(await seen([false, true], "nobody"), { running: true, leader: false, asked: 2 });
  assert.deepEqual(await seen([false, false, true], "nobody"), { running: false, leader: false, asked: 2 });
});

test("an etcd whose unit is down is not asked itself; where systemd is silent it is", async () => {
  assert.deepEqual(
    await etcdNow(
      async () => success(false),
      () => assert.fail("it was asked"),
      { leads: () => assert.fail("it was asked") },
    ),
    { running: false, leader: false },
  );
  for (const lives of [true, false])
    assert.deepEqual(
      await etcdNow(
        async () => failed("deadline", ""),
        async () => lives,
        { leads: async () => (lives ? "self" : "nobody") },
      ),
      { running: lives, leader: lives },
    );
});

test("without a certificate nothing is known of any etcd, and nothing is thrown", async () => {
  const site = twoMachines({ node1: "https://192.0.2.21", node2: "https://192.0.2.22" });
  const [mine, theirs] = site.machines;
  assert.ok(mine !== undefined && theirs !== undefined);
  // This machine has none.
  const reach = new Reach(site, mine, theirs);
  assert.equal(await reach.leads(), "nobody");
  assert.equal(await reach.reads(100), false);
  assert.equal(await reach.peerServes(100), false);
  assert.equal(await reach.peerVersions(100), undefined);
});
