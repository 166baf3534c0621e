import assert from "node:assert/strict";
import { test } from "node:test";
import { fail } from "../../base/problem.ts";
import type { Sign } from "../../machine/api-eye.ts";
import { follow } from "./follow.ts";

const ready: Sign = { lives: true, said: { status: 200, body: "ok" } };
const gone: Sign = { lives: false, why: "gone" };
const frozen: Sign = { lives: false, why: "silent" };
const stuck: Sign = { lives: true, said: { status: 500, body: "[-]etcd failed: reason withheld\n" } };

interface World {
  api: Sign;
  peer: boolean;
  plugged: boolean;
  pacemaker: "up" | "down";
  kept: string | undefined;
}

/** A machine whose clock runs only while somebody rests. Events come at their times. */
async function play(events: readonly (readonly [at_ms: number, Partial<World>])[], end_ms: number) {
  const world: World = { api: gone, peer: true, plugged: true, pacemaker: "up", kept: undefined };
  const words: string[] = [];
  const calls = { looks: 0, asked: 0, reads: 0, corosync: 0 };
  const waiting = [...events];
  let now_ms = 0;
  const pass = (ms: number) => {
    now_ms += ms;
    while ((waiting[0]?.[0] ?? Number.POSITIVE_INFINITY) <= now_ms)
      Object.assign(world, waiting.shift()?.[1]);
  };
  pass(0);
  const needsPacemaker = () => {
    if (world.pacemaker === "down") fail("DUET-E-PACEMAKER-SILENT", "pacemaker", "down", "wait");
  };
  await follow(
    {
      look: (path) => {
        calls.looks++;
        if (path !== undefined) calls.asked++;
        pass(1);
        const { api } = world;
        return Promise.resolve(path === undefined && api.lives ? { lives: true, said: undefined } : api);
      },
      rest: (ms) => Promise.resolve(pass(ms)),
      said: () => {
        calls.reads++;
        needsPacemaker();
        return Promise.resolve(world.kept);
      },
      say: (value) => {
        needsPacemaker();
        words.push(`${value} at ${Math.round(now_ms / 100) / 10}`);
        world.kept = value;
        return Promise.resolve();
      },
      peerHere: () => {
        calls.corosync++;
        return Promise.resolve(world.peer);
      },
      plugged: () => world.plugged,
      now_ms: () => now_ms,
      tell: () => undefined,
    },
    { detection_ms: 2_000 },
    () => now_ms < end_ms,
  );
  return { words, calls, kept: world.kept };
}

test("Pacemaker is told when the API server answers, and that it does not within a second", async () => {
  const { words } = await play(
    [
      [2_000, { api: ready }],
      [60_000, { api: gone }],
    ],
    70_000,
  );
  assert.equal(words.length, 3);
  assert.match(words[0] ?? "", /^0 at 0\.1/);
  assert.match(words[1] ?? "", /^100 at 2\.[0-9]$/);
  assert.match(words[2] ?? "", /^0 at 60\.[0-4]$/);
});

test("who comes and goes is on probation as soon as it is back, and trusted later; one that froze is doubtful first", async () => {
  const { words } = await play(
    [
      [0, { api: ready }],
      [20_000, { api: gone }],
      [25_000, { api: ready }],
      [40_000, { api: gone }],
      [50_000, { api: ready }],
      [60_000, { api: frozen }],
      [70_000, { api: ready }],
    ],
    90_000,
  );
  assert.deepEqual(
    words.map((word) => word.replace(/\.\d$/, "")),
    // The first fall costs nothing; after the second it has to be ready for 2 s, after the third for 4 s.
    [
      "100 at 0",
      "0 at 20",
      "100 at 25",
      "0 at 40",
      "60 at 50",
      "100 at 52",
      "20 at 60",
      "0 at 65",
      "60 at 70",
      "100 at 74",
    ],
  );
});

test("alone nobody is told of a probation: there is nothing to choose", async () => {
  const { words } = await play(
    [
      [0, { api: ready }],
      [20_000, { api: gone }],
      [25_000, { api: ready }],
      [40_000, { api: gone }],
      [45_000, { api: ready, peer: false }],
    ],
    90_000,
  );
  assert.deepEqual(words.at(-2)?.slice(0, 4), "0 at");
  assert.match(words.at(-1) ?? "", /^100 at 4[78]/);
});

test("a peer that is lost: nothing is said until the API server answers again, and then there is nothing to say", async () => {
  const { words } = await play(
    [
      [0, { api: ready }],
      [60_000, { api: stuck }],
      [62_000, { peer: false }],
      [68_000, { api: ready }],
    ],
    120_000,
  );
  assert.deepEqual(words, ["100 at 0.3"]);
});

test("where etcd stands still for both, and the peer is there, it is said after a while", async () => {
  const { words } = await play(
    [
      [0, { api: ready }],
      [60_000, { api: stuck }],
    ],
    70_000,
  );
  assert.equal(words.length, 2);
  assert.match(words[1] ?? "", /^20 at 6[34]/);
});

test("started again, it says nothing that it does not know", async () => {
  assert.deepEqual((await play([[0, { api: ready, kept: "100" }]], 60_000)).words, []);
});

test("what Pacemaker has forgotten is said again, and a Pacemaker that is down is waited for", async () => {
  const { words, kept } = await play(
    [
      [0, { api: ready, pacemaker: "down" }],
      [30_000, { pacemaker: "up" }],
      [60_000, { kept: undefined }],
    ],
    90_000,
  );
  assert.equal(words.length, 2);
  assert.match(words[0] ?? "", /^100 at 3[01]/);
  assert.equal(kept, "100");
});

test("in peace it costs next to nothing: a ping five times a second, and a program each ten", async () => {
  const { calls, words } = await play([[0, { api: ready }]], 600_000);
  assert.deepEqual(words.length, 1);
  assert.ok(calls.reads <= 61 && calls.corosync === 0, JSON.stringify(calls));
  assert.ok(calls.asked < 610 && calls.looks < 3_050, JSON.stringify(calls));
});

test("alone, with an API server that stands still, Corosync is not asked more than once a second", async () => {
  const { calls } = await play(
    [
      [0, { api: ready }],
      [10_000, { api: gone, peer: false }],
    ],
    70_000,
  );
  assert.ok(calls.corosync > 10 && calls.corosync <= 61, JSON.stringify(calls));
});

test("an API server that answers counts for nothing where its cable is out, and at once again when it is in", async () => {
  const { words } = await play(
    [
      [0, { api: ready }],
      [5_000, { plugged: false }],
      [12_000, { plugged: true }],
    ],
    14_000,
  );
  const [first, out, back] = words.map((word) => {
    const [value = "", at_s = ""] = word.split(" at ");
    return [value, Number(at_s)] as const;
  });
  assert.equal(words.length, 3);
  assert.equal(first?.[0], "100");
  assert.ok(out?.[0] === "20" && out[1] >= 8 && out[1] < 8.5, "when a lost peer would be known");
  assert.ok(back?.[0] === "100" && back[1] < 13);
});

test("a plug that is moved in that time, and one that goes with the peer, are no reason for a word", async () => {
  const moved = await play(
    [
      [0, { api: ready }],
      [5_000, { plugged: false }],
      [7_800, { plugged: true }],
    ],
    10_000,
  );
  assert.equal(moved.words.length, 1);
  const alone = await play(
    [
      [0, { api: ready }],
      [5_000, { plugged: false, peer: false }],
    ],
    10_000,
  );
  assert.equal(alone.words.length, 1);
});
