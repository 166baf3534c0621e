import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeWorld } from "../../act/testing.ts";
import { DuetError } from "../../base/problem.ts";
import type { Facts } from "../../decide/facts.ts";
import type { NodeState } from "../../machine/pacemaker.ts";
import { type Doors, peerState } from "./here.ts";

const gone: NodeState = { name: "b", online: false, unclean: false };
const alone = { members: [1], quorate: true };

/** At machine `a`, which Corosync and Pacemaker tell that its peer is lost and was fenced. */
function seen(changes: Partial<Facts>, node = gone, now = alone): Promise<string> {
  const facts: Facts = { ...new FakeWorld().facts(), ...changes };
  const doors: Doors = {
    membership: async () => now,
    cluster: async () => ({ quorate: now.quorate, dc: "a", nodes: [{ ...gone, name: "a" }, node] }),
    facts: async () => facts,
  };
  return peerState("a", doors);
}

const { self, etcd } = new FakeWorld().facts();
const lost = { peer: { seen: "before", facts: undefined }, proof: "none" } as const satisfies Partial<Facts>;
const leads = { ...etcd, running: true, leader: true };

test("a fence that somebody confirmed by hand makes no peer off that duet has not read Off of", async () => {
  assert.equal(await seen({ ...lost, self: { ...self, soleVoter: false }, etcd: leads }), "unknown");
  assert.equal(await seen({ ...lost, proof: "off" }), "off");
});

test("who serves as the only voter has proven it, or was left by plan", async () => {
  const sole = { ...self, soleVoter: true };
  assert.equal(await seen({ ...lost, self: sole, etcd: leads }), "off");
  assert.equal(await seen({ ...lost, self: sole, etcd: { ...leads, leader: false } }), "unknown");
});

test("what Corosync and Pacemaker say still counts, and who can't ask knows nothing", async () => {
  const proven = { ...lost, proof: "off" } as const;
  assert.equal(await seen(proven, gone, { ...alone, members: [1, 2] }), "there");
  assert.equal(await seen(proven, gone, { ...alone, quorate: false }), "unknown");
  assert.equal(await seen(proven, { ...gone, unclean: true }), "unknown");
  assert.equal(await seen(proven, { ...gone, online: true }), "unknown");
  const broken: Doors = {
    membership: async () => alone,
    cluster: async () => ({ quorate: true, dc: "a", nodes: [gone] }),
    facts: () => Promise.reject(new DuetError([{ code: "X", where: "a", what: "b", fix: "c" }])),
  };
  assert.equal(await peerState("a", broken), "unknown");
});
