import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import * as v from "valibot";
import { imageRoot } from "../../lab/testing-image.ts";
import { readMemberFacts } from "../../src/facts/facts.ts";
import { now_ms, sleep, until } from "../../src/machine/clock.ts";
import { RealSide } from "./testing-etcd.ts";

// The two losses that the model predicts (force.test.ts, membership.test.ts), on real etcd under load.

const etcd = join(await imageRoot(), "usr/bin/etcd");
/** Where others use the box etcd takes its time. */
const deadline_ms = 60_000;
const writers = { cut: 64, promote: 256 } as const;
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const value = base64("v".repeat(200));
const rows = v.object({ kvs: v.optional(v.array(v.object({ key: v.string() }))) });
const forced = ["--initial-cluster-state", "existing", "--force-new-cluster"];

/** Writers on one member until they are told to end, or it is gone; gives the keys that were acknowledged. */
function load(
  side: RealSide,
  machine: number,
  count: number,
): { acknowledged: ReadonlySet<string>; stop: () => Promise<ReadonlySet<string>> } {
  const acknowledged = new Set<string>();
  const state = { going: true, next: 0 };
  const write = async () => {
    while (state.going) {
      state.next += 1;
      const key = `k${String(state.next).padStart(7, "0")}`;
      try {
        await side.post(machine, "kv/put", { key: base64(key), value }, v.unknown());
      } catch {
        return;
      }
      acknowledged.add(key);
    }
  };
  const all = Array.from({ length: count }, write);
  return {
    acknowledged,
    stop: async () => {
      state.going = false;
      await Promise.allSettled(all);
      return acknowledged;
    },
  };
}

async function lost(side: RealSide, machine: number, acknowledged: ReadonlySet<string>): Promise<number> {
  const body = { key: base64("k"), range_end: base64("l"), keys_only: true };
  const ask = () => side.post(machine, "kv/range", body, rows).catch(() => undefined);
  const { kvs = [] } = await until("the survivor serves", ask, { deadline_ms });
  const there = new Set(kvs.map((row) => Buffer.from(row.key, "base64").toString()));
  return [...acknowledged].filter((key) => !there.has(key)).length;
}

/** The wire is cut under load, the leader killed, the survivor forced. */
async function cutRound(record: boolean): Promise<number> {
  await using side = await RealSide.create(etcd);
  await side.startBoth();
  const leader = (await side.leader()) ?? 0;
  const survivor = 1 - leader;
  const writing = load(side, leader, writers.cut);
  await until("the writers are at work", async () => writing.acknowledged.size > 50, {
    deadline_ms,
    every_ms: 20,
  });
  await sleep(Math.random() * 300);
  side.silent = true;
  await sleep(200);
  await side.kill(leader);
  const acknowledged = await writing.stop();
  await side.kill(survivor);
  const facts = readMemberFacts(side.data(survivor));
  assert.ok(facts !== undefined && facts.hardState.commit <= facts.last.index);
  if (record) await side.record(survivor);
  side.launch(survivor, [survivor], forced);
  return await lost(side, survivor, acknowledged);
}

/** Which round loses something is luck, and how long one takes is the box's: so rounds are counted, and the clock only ends it all. */
const rounds_max = 30;
const rounds_ms_max = 300_000;

async function losesOnce(round: () => Promise<number | undefined>): Promise<void> {
  const end_ms = now_ms() + rounds_ms_max;
  let rounds = 0;
  for (; rounds < rounds_max && now_ms() < end_ms; rounds += 1) if (((await round()) ?? 0) > 0) return;
  assert.fail(`none of ${rounds} rounds lost anything`);
}

test("a wire cut without the commit record loses acknowledged writes, as in the model", () =>
  losesOnce(() => cutRound(false)));

test("a wire cut with the commit record loses nothing, as in the model", async () => {
  for (let round = 0; round < 4; round += 1) assert.equal(await cutRound(true), 0);
});

/** Of every other piece only up to the promotion and the commit index behind it, of the others all of it. */
let pieces = 0;
function passed(piece: Buffer, end: number): number {
  pieces += 1;
  return pieces % 2 === 0 ? piece.length : Math.min(piece.length, end + 8);
}

/** The wire is silenced right behind the promotion; the leader goes on alone for a moment. */
async function promoteRound(): Promise<number | undefined> {
  await using side = await RealSide.create(etcd);
  await side.startOne(0);
  assert.equal(await side.change(0, "add learner", 1), "ok");
  await side.start(1, "join");
  const writing = load(side, 0, writers.promote);
  const mark = Buffer.from('"isPromote":true}');
  side.watch = (piece) =>
    piece.includes(mark) ? passed(piece, piece.indexOf(mark) + mark.length) : undefined;
  // Refused while the learner lags by a tenth of the log: the log has to grow first.
  const promoted = until(
    "the promotion is taken",
    async () => (await side.change(0, "promote", 1)) !== "learner not ready",
    { deadline_ms },
  );
  await until("the promotion passes", async () => side.silent, { deadline_ms, every_ms: 5 });
  await sleep(300);
  await side.kill(0);
  const acknowledged = await writing.stop();
  await promoted;
  await side.kill(1);
  if (side.disk(1).standing !== "voter") return undefined;
  await side.record(1);
  side.launch(1, [1], forced);
  return await lost(side, 1, acknowledged);
}

test("the promote window: a voter by its own log lacks acknowledged writes, as in the model", () =>
  losesOnce(promoteRound));
