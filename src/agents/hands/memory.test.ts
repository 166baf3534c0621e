import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { empty } from "../../decide/facts.ts";
import { type Memory, MemoryFile, nothing_in_memory } from "./memory.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-memory-"));
after(() => rm(folder, { recursive: true }));

let count = 0;
async function place(boot = "boot-1"): Promise<{ run: string; boot: string }> {
  const run = join(folder, String(++count));
  const file = join(folder, `boot-${count}`);
  await writeFile(file, `${boot}\n`);
  return { run, boot: file };
}

const proven = (ring: string) => (was: Memory) => ({
  ...was,
  remembered: { ...was.remembered, provenIn: ring },
});

test("what one life of an agent notes the next one knows", async () => {
  const { run, boot } = await place();
  const one = new MemoryFile(run, boot);
  assert.deepEqual(one.read(), nothing_in_memory);
  const heard = {
    holding: { ...empty, lineage: { epoch: 3, owner: "node2" } },
    serving: true,
    running: true,
    leaving: false,
    isNew: false,
    witness: "on",
    boot: "5d0f7c1e9a3b",
    turn: 1,
    logEnd: { term: 2, index: 7 },
  } as const;
  const choose = {
    of: "peer",
    mine: { lineage: { epoch: 2, owner: "node1" }, surrendered: 3 },
    theirs: { lineage: undefined, surrendered: undefined },
    tags: [{ epoch: 4, owner: "node2" }],
  } as const;
  const ring = { ring: "1.9", other_ms: undefined, first_ms: 1, last_ms: 2, together_ms: 2, ahead_ms: 7 };
  const memory: Memory = {
    remembered: {
      seen: true,
      heard,
      provenIn: undefined,
      wentOff: false,
      offBoot: "5d0f7c1e9a3b",
      doubtedIn: "1.7",
      tags: [{ epoch: 3, owner: "node2" }],
    },
    ring,
    spoken: { ring: "1.9", word: { peerDown: false, accept: "7,unknown", choose } },
    falseOff_ms: 1_794_900_000_000,
  };
  await one.change(() => memory);
  const next = new MemoryFile(run, boot);
  assert.deepEqual(next.read(), memory);
  await next.change(proven("2.d"));
  assert.equal(one.read().remembered.provenIn, "2.d");
  assert.equal(one.read().remembered.heard?.turn, 1);
});

test("nothing is kept over a boot, and nothing is made of a torn file", async () => {
  const { run, boot } = await place();
  await new MemoryFile(run, boot).change(proven("1.9"));
  await writeFile(boot, "boot-2\n");
  assert.deepEqual(new MemoryFile(run, boot).read(), nothing_in_memory);
  await writeFile(boot, "boot-1\n");
  assert.equal(new MemoryFile(run, boot).read().remembered.provenIn, "1.9");
  const text = await readFile(join(run, "memory"), "utf8");
  for (const torn of ["", "{}", text.slice(0, -5), text.replace('"seen":false', '"seen":1')]) {
    await writeFile(join(run, "memory"), torn);
    assert.deepEqual(new MemoryFile(run, boot).read(), nothing_in_memory, torn);
  }
});

test("what an older duet kept in this boot is still known: of boots it knew nothing", async () => {
  const { run, boot } = await place();
  const kept = new MemoryFile(run, boot);
  await kept.change(proven("1.9"));
  const text = await readFile(join(run, "memory"), "utf8");
  const older = text.replace(/,"offBoot":null,"falseOff_ms":null/, "");
  assert.notEqual(older, text);
  await writeFile(join(run, "memory"), older);
  const { remembered, falseOff_ms } = kept.read();
  assert.deepEqual([remembered.provenIn, remembered.offBoot, falseOff_ms], ["1.9", undefined, undefined]);
});

test("a change that changes nothing writes nothing", async () => {
  const { run, boot } = await place();
  await new MemoryFile(run, boot).change((was) => was);
  await assert.rejects(readdir(run));
});

test("agents at work at once undo nothing of each other's", async () => {
  const { run, boot } = await place();
  const grow = (was: Memory): Memory => ({
    ...was,
    ring: {
      ring: "1.9",
      other_ms: undefined,
      first_ms: (was.ring?.first_ms ?? 0) + 1,
      last_ms: 0,
      together_ms: undefined,
    },
  });
  await Promise.all(Array.from({ length: 12 }, () => new MemoryFile(run, boot).change(grow)));
  assert.equal(new MemoryFile(run, boot).read().ring?.first_ms, 12);
});
