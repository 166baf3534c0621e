import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Published } from "../../act/effects.ts";
import { DuetError } from "../../base/problem.ts";
import { empty } from "../../decide/facts.ts";
import { attributeEffects, type Pacemaker } from "./attributes.ts";
import { MemoryFile } from "./memory.ts";
import { FakeCorosync, FakePacemaker } from "./testing.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-attributes-"));
after(() => rm(folder, { recursive: true }));
await writeFile(join(folder, "boot"), "boot-1\n");

/** Two machines with one Pacemaker: what one sets the other reads. */
function pair() {
  const pacemaker = new FakePacemaker();
  const corosync = new FakeCorosync();
  const memory = new MemoryFile(join(folder, "run"), join(folder, "boot"));
  const on = (me: string, peerName: string, door: Pacemaker = pacemaker.of(me)) =>
    attributeEffects({
      me,
      peerName,
      peerId: 2,
      memory,
      corosync,
      resource: "duet-etcd",
      pacemaker: door,
    });
  return { pacemaker, on, corosync, one: on("node1", "node2"), other: on("node2", "node1") };
}

const said: Published = {
  holding: { ...empty, lineage: { epoch: 3, owner: "node1" } },
  serving: true,
  running: true,
  leaving: false,
  isNew: false,
  witness: "on",
  boot: "5d0f7c1e9a3b",
  turn: 0,
  logEnd: undefined,
};

test("what one publishes the other reads, in this membership and in no other", async () => {
  const { corosync, one, other } = pair();
  assert.deepEqual(await other.readPeer(1_000), { ok: true, value: undefined });
  assert.ok((await one.publish(said, 1_000)).ok);
  assert.deepEqual(await other.readPeer(1_000), { ok: true, value: said });
  assert.deepEqual(await one.readOwn(1_000), { ok: true, value: said });
  assert.deepEqual(await one.readPeer(1_000), { ok: true, value: undefined });
  corosync.join("1.d");
  assert.deepEqual(await other.readPeer(1_000), { ok: true, value: undefined });
  assert.deepEqual(await one.readOwn(1_000), { ok: true, value: undefined });
});

test("a leave is said in the order that all machines see, and nothing else waits for that", async () => {
  const { pacemaker, on } = pair();
  const waited: unknown[] = [];
  const door = pacemaker.of("node1");
  const one = on("node1", "node2", {
    ...door,
    setAttribute: async (name, value, deadline_ms, ordered) => {
      waited.push(ordered);
      await door.setAttribute(name, value, deadline_ms);
    },
  });
  for (const leaving of [false, true]) assert.ok((await one.publish({ ...said, leaving }, 1_000)).ok);
  assert.deepEqual(waited, [false, true]);
});

test("a score that is there is not set again", async () => {
  const { pacemaker, one } = pair();
  for (const score of [10, 10, 5, undefined, undefined]) assert.ok((await one.score(score, 1_000)).ok);
  assert.deepEqual(pacemaker.scores, ["node1 10", "node1 5", "node1 undefined"]);
});

test("what is too long is not told, and a silent Pacemaker is no exception", async () => {
  const { on, one } = pair();
  const long = { ...said, holding: { ...said.holding, others: "x".repeat(9_000) } };
  const refused = await one.publish(long, 1_000);
  assert.ok(!refused.ok && refused.failure.kind === "refused");
  assert.deepEqual(await one.readOwn(1_000), { ok: true, value: undefined });
  const silent = async (): Promise<never> => {
    throw new DuetError([{ code: "DUET-E-PACEMAKER-SILENT", where: "pacemaker", what: "silent", fix: "" }]);
  };
  const deaf = on("node1", "node2", {
    setAttribute: silent,
    attributeOf: silent,
    setPromotionScore: silent,
  });
  for (const outcome of [
    await deaf.publish(said, 1_000),
    await deaf.readPeer(1_000),
    await deaf.readOwn(1_000),
    await deaf.score(10, 1_000),
  ])
    assert.ok(!outcome.ok && outcome.failure.kind === "failed");
});
