import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import * as v from "valibot";
import { versions } from "../../lab/etcd36/testing.ts";
import { sleep, until } from "../../src/machine/clock.ts";
import { RealSide } from "./testing-etcd.ts";
import { RaftWorld } from "./world.ts";

/**
 * A leader that is asked to remove itself. Why a machine that leaves is removed through its peer: while the word of its
 * removal does not reach it from there, it leads a cluster of one voter that it is not itself, and answers for it alone.
 */
interface Seen {
  /** Reads at the removed leader that were answered, and those that lacked a write which the peer had acknowledged before. */
  readonly reads: number;
  readonly stale: number;
  /** What it wrote itself. */
  readonly written: number;
  readonly peerWrote: boolean;
  readonly ended: string;
}

const written = v.object({ header: v.object({ revision: v.string() }) });
const base64 = (text: string) => Buffer.from(text).toString("base64");

async function onEtcd(etcd: string, cut: boolean): Promise<Seen> {
  await using side = await RealSide.create(etcd);
  await side.startBoth();
  const peer = await side.leader();
  assert.ok(peer !== undefined);
  const leader = 1 - peer;
  assert.equal(await side.change(peer, "move leader", leader), "ok");
  // Membership changes want five seconds of an unbroken connection. A new leader looks every 500 ms whom it heard: it is
  // removed right after it did, so that it stays leader as long as it can.
  await sleep(6_030);
  const seen = { reads: 0, stale: 0, written: 0, acknowledged: 0 };
  const put = async (machine: number): Promise<number> => {
    try {
      const { header } = await side.post(
        machine,
        "kv/put",
        { key: base64("k"), value: base64("v") },
        written,
      );
      return Number(header.revision);
    } catch {
      return 0;
    }
  };
  // With these words the peer refuses a connection from who is removed: from here on nothing passes.
  if (cut) side.watch = (piece) => (piece.includes("410 Gone") ? 0 : undefined);
  const said = await side.change(leader, "remove", leader);
  // Else the peer may end it before it can answer.
  if (cut) assert.equal(said, "ok");
  const end_ms = performance.now() + 1_500;
  const waiting: Promise<void>[] = [put(leader).then((revision) => void (seen.written += revision))];
  const writer = async () => {
    // Each for itself: what the peer still sends to its old leader is lost.
    for (; performance.now() < end_ms; await sleep(20))
      waiting.push(
        put(peer).then((revision) => void (seen.acknowledged = Math.max(seen.acknowledged, revision))),
      );
  };
  const reader = async () => {
    for (; performance.now() < end_ms; await sleep(1)) {
      const before = seen.acknowledged;
      try {
        const { header } = await side.post(leader, "kv/range", { key: base64("k") }, written);
        seen.reads += 1;
        if (Number(header.revision) < before) seen.stale += 1;
      } catch {
        // It has no leader, or has ended.
      }
    }
  };
  await Promise.all([writer(), reader()]);
  await Promise.all(waiting);
  const ended = async () => {
    const how = await side.ended(leader);
    return how !== "runs" && how;
  };
  return {
    ...seen,
    peerWrote: seen.acknowledged > 0,
    ended: await until("the removed leader's end", ended, { deadline_ms: 10_000 }),
  };
}

/** With the times that the other side's etcd has. */
function onModel(seed: number, cut: boolean): Seen {
  const world = new RaftWorld({ seed }, { clientsOnly: true, etcd: { tick_us: 50_000 } });
  const { kernel } = world;
  world.startAll();
  kernel.runSync(9_000_000);
  const { leader } = world;
  assert.ok(leader !== undefined);
  const peer = world.member(1 - leader.machine);
  const seen = { reads: 0, stale: 0, written: 0, acknowledged: 0 };
  leader.requests.remove(leader.id, (answer) => {
    assert.ok(answer.ok);
    if (cut) world.wire.cut(peer.machine, leader.machine);
    leader.requests.put(1, 0, (own) => (seen.written += own.ok ? 1 : 0));
  });
  for (let ms = 5; ms < 1_500; ms += 5)
    kernel.after(ms * 1_000, () => {
      const before = seen.acknowledged;
      leader.requests.read((answer) => {
        if (!answer.ok) return;
        seen.reads += 1;
        if (answer.revision < before) seen.stale += 1;
      });
      if (ms % 20 === 0)
        peer.requests.put(
          1,
          0,
          (answer) => (seen.acknowledged = answer.ok ? answer.revision : seen.acknowledged),
        );
    });
  kernel.runSync(kernel.now_us + 9_000_000);
  const ended = /permanently removed/.exec(leader.ended ?? "")?.[0] ?? "runs";
  return { ...seen, peerWrote: seen.acknowledged > 0, ended };
}

for (const { version, folder } of await versions()) {
  const etcd = join(folder, "etcd");

  test(`etcd ${version} as the model: a leader that removed itself is told by its peer, and ends`, async () => {
    const real = await onEtcd(etcd, false);
    const model = Array.from({ length: 20 }, (_, seed) => onModel(seed + 1, false));
    for (const { stale, written: own, peerWrote, ended } of [real, ...model])
      assert.deepEqual([stale, own, peerWrote, ended], [0, 0, true, "permanently removed"]);
  });

  test(`etcd ${version} as the model: a leader that removed itself, and is not told, serves stale reads`, async () => {
    const model = Array.from({ length: 20 }, (_, seed) => onModel(seed + 1, true));
    const all = [...model];
    // Sometimes the peer's election comes late.
    for (let tries = 0; tries < 4; tries += 1) {
      const real = await onEtcd(etcd, true);
      all.push(real);
      if (real.stale > 0) break;
    }
    assert.ok((all.at(-1)?.stale ?? 0) > 0, JSON.stringify(all.slice(model.length)));
    // Not in all: it hears nobody, and steps down after one to two election time-outs.
    assert.ok(model.filter(({ stale }) => stale > 0).length > 5, JSON.stringify(model));
    assert.ok(model.every(({ reads }) => reads > 50));
    for (const { written: own, peerWrote, ended } of all)
      assert.deepEqual([own, peerWrote, ended], [0, true, "permanently removed"]);
  });
}
