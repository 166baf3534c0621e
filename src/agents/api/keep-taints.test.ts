import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeResult } from "../../machine/kube-api.ts";
import { keepTaints, type NodeTaints, type Sight, type TaintDoors } from "./keep-taints.ts";
import type { Lease } from "./leases.ts";
import { outOfService, type Taint } from "./taint.ts";

const lineage = { epoch: 2, owner: "node1" };
const self = { lineage, full: true, takeover: undefined, left: false, surrendered: undefined };
const together: Sight = { ring: "1.10", self, peerHere: true, offProven: false };
const lost: Sight = { ...together, ring: "1.14", peerHere: false };
const off: Sight = { ...lost, offProven: true };
const back: Sight = { ...together, ring: "1.18" };
const unreachable: Taint = { key: "node.kubernetes.io/unreachable", effect: "NoExecute" };

/** An API server with two machines in it, and a story of sights: one for each time that duet has done something. */
class Site {
  readonly nodes = new Map<string, { taints: readonly Taint[]; version: number }>([
    ["node1", { taints: [], version: 1 }],
    ["node2", { taints: [unreachable], version: 1 }],
  ]);
  /** What the second machine holds beside its pods. */
  readonly leases = new Map<string, string>();
  servers = 0;
  readonly changes: string[] = [];
  /** Put by somebody else between our look and our change, once. */
  rival: Taint | undefined;
  peerFull = true;
  apiUp = true;
  /** It takes no change of a Node. */
  refuses = false;
  calls = 0;
  rests: number[] = [];
  readonly told: string[] = [];

  async play(story: readonly (() => Sight)[], rounds = 3) {
    const all = story.flatMap((each) => Array.from({ length: rounds }, () => each));
    let at = 0;
    let sight = all[0]?.() ?? together;
    const doors: TaintDoors = {
      me: "node1",
      peerName: "node2",
      sight: () => Promise.resolve(sight),
      peerSaid: () => Promise.resolve({ lineage, full: this.peerFull }),
      node: (name) => Promise.resolve(this.#node(name)),
      clock_ms: () => 0,
      lease: (name) => Promise.resolve(this.#lease(name)),
      release: (name) => {
        this.leases.set(name, "");
        return Promise.resolve({ ok: true, value: undefined });
      },
      server: () => Promise.resolve({ ok: true, value: this.servers === 0 ? undefined : 7 }),
      dropServer: () => {
        this.servers = 0;
        return Promise.resolve({ ok: true, value: true });
      },
      change: (name, resourceVersion, taints) => Promise.resolve(this.#change(name, resourceVersion, taints)),
      rest: (ms) => {
        this.rests.push(ms);
        at++;
        sight = all[at]?.() ?? sight;
        return Promise.resolve();
      },
      tell: (line) => this.told.push(line),
    };
    await keepTaints(doors, () => at < all.length);
  }

  has(name: string): boolean {
    return this.nodes.get(name)?.taints.some(({ key }) => key === outOfService.key) === true;
  }

  #node(name: string): KubeResult<NodeTaints | undefined> {
    this.calls++;
    if (!this.apiUp) return { ok: false, failure: { kind: "unreachable", said: "connection refused" } };
    const found = this.nodes.get(name);
    const value = found && { taints: found.taints, resourceVersion: String(found.version) };
    return { ok: true, value };
  }

  #lease(name: string): KubeResult<Lease | undefined> {
    if (!this.apiUp) return { ok: false, failure: { kind: "unreachable", said: "connection refused" } };
    return { ok: true, value: { holder: this.leases.get(name), renewed_ms: 0, resourceVersion: "1" } };
  }

  #change(name: string, resourceVersion: string, taints: readonly Taint[]): KubeResult<unknown> {
    this.calls++;
    const found = this.nodes.get(name);
    assert.ok(found !== undefined);
    if (this.refuses) return { ok: false, failure: { kind: "refused", status: 403, said: "forbidden" } };
    if (this.rival !== undefined) {
      found.taints = [...found.taints, this.rival];
      found.version++;
      this.rival = undefined;
    }
    const places = taints.map(({ key, effect }) => `${key} ${effect}`);
    if (new Set(places).size < places.length)
      return { ok: false, failure: { kind: "refused", status: 422, said: "Duplicate value" } };
    if (String(found.version) !== resourceVersion)
      return { ok: false, failure: { kind: "refused", status: 409, said: "conflict" } };
    this.nodes.set(name, { taints, version: found.version + 1 });
    this.changes.push(`${name} ${taints.length}`);
    return { ok: true, value: undefined };
  }
}

test("Off is proven, the taint is there; the two are whole again, and it is gone", async () => {
  const site = new Site();
  await site.play([() => together, () => lost, () => off]);
  assert.deepEqual(site.nodes.get("node2")?.taints, [unreachable, outOfService]);
  site.peerFull = false;
  await site.play([() => back]);
  assert.equal(site.has("node2"), true, "it is back, and not full");
  site.peerFull = true;
  await site.play([() => back]);
  assert.deepEqual(site.nodes.get("node2")?.taints, [unreachable]);
  assert.deepEqual(site.changes, ["node2 2", "node2 1"]);
});

test("a machine that is lost, left, or gone by somebody's word has none", async () => {
  const site = new Site();
  await site.play([() => together, () => lost, () => lost], 20);
  assert.deepEqual(site.changes, []);
});

test("an API that does not answer is asked until it does, ever more seldom", async () => {
  const site = new Site();
  site.apiUp = false;
  await site.play([() => off], 20);
  assert.deepEqual(site.changes, []);
  assert.ok(site.rests.every((ms) => ms <= 5_000) && (site.rests[0] ?? 0) < 1_000);
  site.apiUp = true;
  await site.play([() => off], 1);
  assert.equal(site.has("node2"), true);
});

test("while this machine takes over, it is looked at again soon", async () => {
  const site = new Site();
  const takeover = { step: "intent", epoch: 3 } as const;
  await site.play([() => ({ ...off, self: { ...self, takeover } })], 4);
  assert.deepEqual(site.rests, [500, 1_000, 1_500, 2_000]);
  assert.equal(site.calls, 0);
});

test("a peer that is back before the API answers does not get it", async () => {
  const site = new Site();
  site.apiUp = false;
  await site.play([
    () => off,
    () => {
      site.apiUp = true;
      return back;
    },
  ]);
  assert.deepEqual(site.changes, []);
});

test("somebody else's change in the same moment is kept, and ours is made after it", async () => {
  const site = new Site();
  site.rival = { key: "dedicated", effect: "NoSchedule" };
  await site.play([() => off], 5);
  assert.deepEqual(site.nodes.get("node2")?.taints, [
    unreachable,
    { key: "dedicated", effect: "NoSchedule" },
    outOfService,
  ]);
  assert.equal(site.changes.length, 1);
});

test("a machine that serves takes the taint off itself: whoever put it there may be gone", async () => {
  const site = new Site();
  site.nodes.set("node1", { taints: [outOfService], version: 1 });
  await site.play([() => lost]);
  assert.equal(site.has("node1"), false);
});

test("an admin's own out-of-service taint counts as the taint, stays, and is told of once when both are in service", async () => {
  const site = new Site();
  const burnt: Taint = { ...outOfService, value: "burnt" };
  site.nodes.set("node2", { taints: [unreachable, burnt], version: 1 });
  await site.play([() => off], 20);
  assert.ok(
    site.rests.every((ms) => ms === 10_000),
    "nothing is left to do",
  );
  assert.deepEqual(site.told, []);
  await site.play([() => back], 20);
  assert.deepEqual(site.nodes.get("node2")?.taints, [unreachable, burnt]);
  assert.deepEqual(site.changes, []);
  assert.equal(site.told.length, 1);
  assert.match(
    site.told[0] ?? "",
    /^node2 is in service, and gets no pods: .* has another value than duet's/,
  );
  assert.equal(site.calls, 4, "one look at each machine in each membership");
});

test("in peace the API is asked once for each machine in a membership, and then left alone", async () => {
  const site = new Site();
  await site.play([() => together], 500);
  assert.equal(site.calls, 2);
  assert.ok(site.rests.every((ms) => ms === 10_000));
  site.nodes.delete("node2");
  await site.play([() => off], 500);
  assert.equal(site.calls, 4, "and of a machine that Kubernetes does not know nothing is asked again");
});

function holding(): Site {
  const site = new Site();
  site.leases.set("kube-controller-manager", "node2_1");
  site.servers = 1;
  return site;
}

test("with the taint goes what the machine that is off still holds, and not before", async () => {
  const site = holding();
  await site.play([() => together, () => lost]);
  assert.deepEqual([...site.leases.values(), site.servers], ["node2_1", 1]);
  site.apiUp = false;
  await site.play([() => off]);
  assert.deepEqual([...site.leases.values(), site.servers], ["node2_1", 1]);
  site.apiUp = true;
  await site.play([() => off], 1);
  assert.deepEqual([...site.leases.values(), site.servers, site.has("node2")], ["", 0, true]);
});

test("an API that does not take the taint still gives away the leases", async () => {
  const site = holding();
  site.refuses = true;
  await site.play([() => off]);
  assert.deepEqual([...site.leases.values(), site.servers, site.has("node2")], ["", 0, false]);
  assert.deepEqual(site.rests.slice(0, 2), [500, 1_000], "the taint is tried again");
});
