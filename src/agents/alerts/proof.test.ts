import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { tellOldProof, unproven_days } from "./proof.ts";
import { at_ms } from "./testing.ts";

const hour_ms = 3_600_000;
const day_ms = 24 * hour_ms;
let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "duet-proof-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Looks each hour, from one day to another, and says on which days it told somebody. */
async function days(
  from: number,
  to: number,
  good: (now_ms: number) => number | null,
  target = "node2",
): Promise<readonly number[]> {
  const told: number[] = [];
  for (let now_ms = at_ms + from * day_ms; now_ms < at_ms + to * day_ms; now_ms += hour_ms) {
    const tell = () => void told.push(Math.floor((now_ms - at_ms) / day_ms));
    const proof = () => Promise.resolve({ target, good_ms: good(now_ms) });
    await tellOldProof({ me: "node1", peer: "node2", now_ms, proof, folder, tell });
  }
  return told;
}

test("nothing is told while it is proven each day", async () => {
  assert.deepEqual(await days(0, 9, (now_ms) => now_ms - ((now_ms - at_ms) % day_ms)), []);
});

test("after some days without a proof it is told, once a day, until somebody proves it", async () => {
  assert.deepEqual(await days(0, unproven_days + 2, () => null), [unproven_days, unproven_days + 1]);
  const mended_ms = at_ms + (unproven_days + 2) * day_ms;
  assert.deepEqual(await days(unproven_days + 2, unproven_days + 4, () => mended_ms), []);
});

test("a proof of another machine than the peer is none", async () => {
  assert.deepEqual(await days(0, unproven_days + 1, (now_ms) => now_ms, "node3"), [unproven_days]);
});

test("a machine that was off for long has a day to prove it before anybody is told", async () => {
  assert.deepEqual(await days(0, 1, () => at_ms), []);
  assert.deepEqual(await days(20, 22, () => at_ms), [21]);
});

test("it is asked for once an hour, however often there is a look", async () => {
  let asked = 0;
  for (let second = 0; second < 7_300; second += 10)
    await tellOldProof({
      me: "node1",
      peer: "node2",
      now_ms: at_ms + second * 1000,
      proof: () => {
        asked += 1;
        return Promise.resolve(undefined);
      },
      folder,
    });
  assert.equal(asked, 2);
});

test("a clock that is set back begins to count anew; without the folder nothing is looked at", async () => {
  assert.deepEqual(await days(100, 101, () => null), []);
  assert.deepEqual(await days(0, 1, () => null), []);
  const proof = () => Promise.reject(new Error("asked"));
  const missing = join(folder, "missing");
  await tellOldProof({ me: "node1", peer: "node2", now_ms: at_ms, proof, folder: missing });
});
