import assert from "node:assert/strict";
import { test } from "node:test";
import { Disk } from "./disk.ts";
import { Kernel } from "./kernel/kernel.ts";
import { Wal } from "./raft/wal.ts";
import { entryOf, proposalOf } from "./raft/types.ts";

const entry = (index: number) => entryOf(proposalOf("put", 0, index), 1, index);

test("a small file is one of its versions after a power cut, and never older than the synced one", () => {
  const seen = new Set<string>();
  for (let seed = 0; seed < 60; seed += 1) {
    const disk = new Disk(new Kernel({ seed }), 0);
    const cell = disk.cell("old");
    cell.write("synced");
    cell.sync();
    cell.write("first");
    cell.write("second");
    assert.equal(cell.value, "second");
    disk.powerCut();
    seen.add(cell.value);
    assert.equal(cell.unsynced, 0);
  }
  assert.deepEqual([...seen].toSorted(), ["first", "second", "synced"]);
});

test("a sync covers what was written before it began", () => {
  const disk = new Disk(new Kernel({ seed: 1 }), 0);
  const cell = disk.cell<number | undefined>(undefined);
  const mark = cell.write(1);
  cell.write(2);
  cell.sync(mark);
  assert.equal(cell.synced, 1);
  assert.equal(cell.value, 2);
  assert.equal(cell.unsynced, 1);
});

test("a WAL: the process loses what it held back, a power cut what was not synced", () => {
  const kept = new Set<number>();
  for (let seed = 0; seed < 60; seed += 1) {
    const kernel = new Kernel({ seed });
    const disk = new Disk(kernel, 0);
    const wal = new Wal();
    disk.attach(wal);
    assert.equal(wal.save({ term: 1, vote: 1, commit: 0 }, [entry(1)]), true);
    wal.flushAndSync();
    assert.equal(wal.save({ term: 1, vote: 1, commit: 1 }, []), false, "a commit alone is not synced");
    assert.equal(wal.save(undefined, [entry(2)]), true);
    wal.flush();
    assert.equal(wal.save({ term: 1, vote: 1, commit: 2 }, []), false);
    if (seed === 0) {
      wal.processEnded();
      assert.equal(wal.state().commit, 1, "what the process held back is gone");
      assert.equal(wal.entriesAfter(0).length, 2, "what the system has survives");
    }
    wal.processEnded();
    disk.powerCut();
    assert.ok(wal.entriesAfter(0).length >= 1);
    kept.add(wal.records.length);
  }
  assert.deepEqual(
    [...kept].toSorted((a, b) => a - b),
    [2, 3, 4],
    "any first part of the unsynced writes",
  );
});

test("an entry with an index that was there before replaces it and what followed", () => {
  const wal = new Wal();
  wal.save(undefined, [entry(1), entry(2), entry(3)]);
  wal.save(undefined, [entryOf(proposalOf("put", 0, 9), 2, 2)]);
  assert.deepEqual(
    wal.entriesAfter(0).map(({ index, term }) => [index, term]),
    [
      [1, 1],
      [2, 2],
    ],
  );
  assert.deepEqual(
    wal.entriesAfter(1).map(({ index }) => index),
    [2],
  );
});
