import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeResult } from "../../machine/kube-api.ts";
import { Heir } from "./inherit.ts";
import type { Sight } from "./keep-taints.ts";
import type { Lease } from "./leases.ts";

const lineage = { epoch: 2, owner: "node1" };
const self = { lineage, full: true, takeover: undefined, left: false, surrendered: undefined };
const off: Sight = { ring: "1.14", self, peerHere: false, offProven: true };

/** Two leases and the list of API servers, of node1 and its peer node2. */
class Site {
  readonly holders = new Map<string, string | undefined>([
    ["kube-controller-manager", "node2_7f"],
    ["kube-scheduler", "node2_81"],
  ]);
  /** By which version the peer's API server is in the list; 0: it is not. */
  servers = 7;
  now_ms = 1_000_000;
  renewed_ms: number | undefined = 999_000;
  sight: Sight = off;
  /** What the call fails with, by its name. */
  readonly failing = new Map<string, "refused" | "deadline">();
  readonly calls: string[] = [];
  /** What happens while a call is under way. */
  during: (call: string) => void = () => undefined;
  readonly told: string[] = [];
  readonly heir = new Heir({
    me: "node1",
    peerName: "node2",
    clock_ms: () => this.now_ms,
    sight: () => Promise.resolve(this.sight),
    lease: (name) => {
      const holder = this.holders.get(name);
      const lease: Lease | undefined =
        holder === undefined ? undefined : { holder, renewed_ms: this.renewed_ms, resourceVersion: "5" };
      return this.#answer(`see ${name}`, lease);
    },
    release: (name, version) => {
      this.holders.set(name, "");
      return this.#answer(`release ${name} ${version}`, undefined);
    },
    server: () => this.#answer("see servers", this.servers === 0 ? undefined : this.servers),
    dropServer: (version) => {
      const drops = version === this.servers;
      if (drops) this.servers = 0;
      return this.#answer(`drop ${version}`, drops);
    },
    tell: (line) => this.told.push(line),
  });

  #answer<T>(call: string, value: T): Promise<KubeResult<T>> {
    this.calls.push(call);
    this.during(call);
    const kind = this.failing.get(call);
    return Promise.resolve(
      kind === undefined ? { ok: true, value } : { ok: false, failure: { kind, said: `no ${call}` } },
    );
  }
}

const all = [
  "see kube-controller-manager",
  "release kube-controller-manager 5",
  "see kube-scheduler",
  "release kube-scheduler 5",
  "see servers",
  "drop 7",
];

test("what a machine holds that is proven off is free at once, by the version that was seen, and once", async () => {
  const site = new Site();
  assert.equal(await site.heir.round(off), true);
  assert.deepEqual(site.calls, all);
  assert.equal(site.told.length, 3);
  assert.equal(await site.heir.round(off), true);
  assert.deepEqual(site.calls, all, "once in a membership");
});

test("without a proof, with the peer here, or with a takeover before it nothing is taken", async () => {
  const sights: readonly Sight[] = [
    { ...off, offProven: false },
    { ...off, peerHere: true },
    { ...off, peerHere: undefined },
    { ...off, self: undefined },
    { ...off, self: { ...self, full: false } },
    { ...off, self: { ...self, takeover: { step: "intent", epoch: 3 } } },
    { ...off, self: { ...self, left: true } },
  ];
  for (const sight of sights) {
    const site = new Site();
    site.sight = sight;
    await site.heir.round(sight);
    // It was off a moment ago, and is not when it is looked at again.
    await site.heir.round(off);
    assert.deepEqual(site.calls, [], JSON.stringify(sight));
  }
});

test("a peer that is back in another membership keeps what it has, and loses it with the next proof", async () => {
  const site = new Site();
  site.sight = { ...off, ring: "1.18" };
  await site.heir.round(off);
  assert.deepEqual(site.calls, []);
  site.sight = off;
  await site.heir.round(off);
  site.holders.set("kube-scheduler", "node2_99");
  const again: Sight = { ...off, ring: "1.22" };
  site.sight = again;
  await site.heir.round(again);
  assert.equal(site.holders.get("kube-scheduler"), "");
});

test("a controller here that gave up in the failover does not wait for itself; one that lives keeps what it has", async () => {
  for (const [renewed_ms, isFreed] of [
    [999_000, false],
    [991_000, false],
    [990_000, true],
    [undefined, true],
  ] as const) {
    const site = new Site();
    site.renewed_ms = renewed_ms;
    site.holders.set("kube-controller-manager", "node1_7f");
    await site.heir.round(off);
    assert.equal(site.holders.get("kube-controller-manager"), isFreed ? "" : "node1_7f", String(renewed_ms));
    // That of a machine that is off is free, whenever it was renewed.
    assert.equal(site.holders.get("kube-scheduler"), "");
  }
});

test("an API server that says meanwhile that it lives stays, and so does that of a peer that is back", async () => {
  const site = new Site();
  site.during = (call) => {
    if (call === "see servers") site.servers = 8;
  };
  assert.equal(await site.heir.round(off), false);
  assert.deepEqual([site.servers, site.calls.at(-1)], [8, "drop 7"]);
  site.during = (call) => {
    if (call === "see servers") site.sight = { ...off, ring: "1.18", peerHere: true };
  };
  assert.equal(await site.heir.round(off), false);
  assert.deepEqual([site.servers, site.calls.at(-1)], [8, "see servers"]);
});

test("a lease of this machine's, of nobody, or of a name that only begins alike is left alone", async () => {
  for (const holder of ["node1_7f", "", undefined, "node22_7f", "node2"]) {
    const site = new Site();
    site.holders.set("kube-controller-manager", holder);
    await site.heir.round(off);
    assert.equal(site.holders.get("kube-controller-manager"), holder);
    assert.equal(site.holders.get("kube-scheduler"), "");
  }
});

test("what is refused is tried again and holds up nothing else; who does not answer is not asked for the rest", async () => {
  const site = new Site();
  site.failing.set("see kube-controller-manager", "refused");
  assert.equal(await site.heir.round(off), false);
  assert.deepEqual(
    [site.holders.get("kube-controller-manager"), site.holders.get("kube-scheduler"), site.servers],
    ["node2_7f", "", 0],
  );
  assert.equal(await site.heir.round(off), false);
  assert.equal(site.told.filter((line) => line.includes("not free yet")).length, 1, "said once");
  site.failing.clear();
  assert.equal(await site.heir.round(off), true);
  assert.equal(site.holders.get("kube-controller-manager"), "");

  const silent = new Site();
  silent.failing.set("see kube-controller-manager", "deadline");
  assert.equal(await silent.heir.round(off), false);
  assert.deepEqual(silent.calls, ["see kube-controller-manager"]);
});
