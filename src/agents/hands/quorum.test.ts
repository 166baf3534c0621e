import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { DuetError } from "../../base/problem.ts";
import { MemoryFile } from "./memory.ts";
import { quorumEffects } from "./quorum.ts";
import { FakeCorosync, nothing_said } from "./testing.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-quorum-"));
after(() => rm(folder, { recursive: true }));
await writeFile(join(folder, "boot"), "boot-1\n");

let count = 0;
function world() {
  const corosync = new FakeCorosync();
  const memory = new MemoryFile(join(folder, String(++count)), join(folder, "boot"));
  return { corosync, memory, quorum: quorumEffects({ peerId: 2, memory, corosync }) };
}

test("a loss has a name and an age, and ends when the peer is back", async () => {
  const { corosync, memory, quorum } = world();
  assert.deepEqual(await quorum.loss(), { ok: true, value: undefined });
  assert.equal(memory.read().remembered.seen, true);
  corosync.lose("1.d");
  const lost = await quorum.loss();
  assert.ok(lost.ok && lost.value?.ring === "1.d");
  assert.ok(lost.value.since_ms !== undefined && lost.value.since_ms >= 0);
  corosync.formed_ms = Date.now() - 86_400_000;
  const odd = await quorum.loss();
  assert.ok(odd.ok && odd.value?.since_ms === undefined);
  corosync.join("1.11");
  assert.deepEqual(await quorum.loss(), { ok: true, value: undefined });
});

test("Off is noted for the loss that it was read after, and for no other", async () => {
  const { corosync, memory, quorum } = world();
  corosync.lose("1.d");
  corosync.join("1.11");
  for (const ring of ["1.d", "1.11"]) {
    const noted = await quorum.noteOff(ring, false);
    assert.ok(!noted.ok && noted.failure.kind === "changed", ring);
  }
  corosync.lose("1.15");
  const late = await quorum.noteOff("1.d", false);
  assert.ok(!late.ok && late.failure.kind === "changed");
  assert.equal(memory.read().remembered.provenIn, undefined);
  assert.ok((await quorum.noteOff("1.15", true)).ok);
  assert.equal(memory.read().remembered.provenIn, "1.15");
  const went = await quorum.loss();
  assert.ok(went.ok && went.value?.wentOff === true);
  assert.ok((await quorum.noteOff("1.15", false)).ok);
  const fenced = await quorum.loss();
  assert.ok(fenced.ok && fenced.value?.wentOff === false);
});

const hear = (memory: MemoryFile, boot: string) =>
  memory.change((was) => ({
    ...was,
    remembered: { ...was.remembered, heard: { ...nothing_said, boot } },
  }));

test("with an Off the boot is kept in which the peer was heard before it, and none that was heard after it", async () => {
  const { corosync, memory, quorum } = world();
  await quorum.loss();
  await hear(memory, "node2-1");
  corosync.lose("1.d");
  assert.ok((await quorum.noteOff("1.d", false)).ok);
  assert.equal(memory.read().remembered.offBoot, "node2-1");
  // Noted late: another agent has seen the peer come back by then, in the boot after the Off.
  class Slow extends FakeCorosync {
    override readonly membership = async () => {
      const { now } = this;
      const other = new FakeCorosync();
      other.join("1.11");
      await quorumEffects({ peerId: 2, memory, corosync: other }).loss();
      await hear(memory, "node2-2");
      return now;
    };
  }
  const slow = new Slow();
  slow.lose("1.d");
  assert.ok((await quorumEffects({ peerId: 2, memory, corosync: slow }).noteOff("1.d", false)).ok);
  assert.equal(memory.read().remembered.heard?.boot, "node2-2");
  assert.equal(memory.read().remembered.offBoot, undefined);
});

test("quorum is granted when Corosync says so, not when it took the wish", async () => {
  const { corosync, quorum } = world();
  corosync.now = { ring: "1.1", nodeId: 1, members: [1], quorate: false };
  corosync.waits = true;
  corosync.deaf = true;
  const refused = await quorum.grant(200);
  assert.ok(!refused.ok && refused.failure.kind === "deadline");
  assert.deepEqual(await quorum.status(), { ok: true, value: false });
  corosync.deaf = false;
  assert.ok((await quorum.grant(2_000)).ok);
  assert.deepEqual(await quorum.status(), { ok: true, value: true });
});

test("a Corosync that does not answer is a failure, and no exception", async () => {
  const { memory } = world();
  class Silent extends FakeCorosync {
    override readonly membership = async (): Promise<never> => {
      throw new DuetError([{ code: "DUET-E-COROSYNC-SILENT", where: "corosync", what: "silent", fix: "" }]);
    };
  }
  const quorum = quorumEffects({ peerId: 2, memory, corosync: new Silent() });
  for (const outcome of [await quorum.loss(), await quorum.noteOff("1.9", false), await quorum.status()])
    assert.ok(!outcome.ok && outcome.failure.kind === "failed");
});
