import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DataFolder } from "./data.ts";
import { walFacts } from "./standing.ts";
import { type ConfChange, entryOf, proposalOf } from "./types.ts";
import { Wal } from "./wal.ts";

const add = (member: number): ConfChange => ({ kind: "add voter", member, machine: member });

/** What a log does in its life; numbers choose how much. */
type Deed = readonly ["entries" | "conf" | "back" | "state" | "sync" | "crash" | "cut", number];

const deeds = fc.array(
  fc.tuple(
    fc.constantFrom<Deed[0]>("entries", "conf", "back", "state", "sync", "crash", "cut"),
    fc.integer({ min: 0, max: 5 }),
  ),
  { maxLength: 40 },
);

function perform(wal: Wal, [deed, n]: Deed, term: number): void {
  const last = wal.entriesAfter(0).at(-1)?.index ?? 0;
  const entry = (index: number, change?: ConfChange) =>
    entryOf(proposalOf(change === undefined ? "put" : "conf", 0, index, 0, change), term, index);
  if (deed === "entries") wal.save(undefined, [entry(last + 1), entry(last + 2)]);
  else if (deed === "conf") wal.save(undefined, [entry(last + 1, add(term))]);
  else if (deed === "back") wal.save(undefined, [entry(Math.max(1, last - n))]);
  else if (deed === "state") wal.save({ term, vote: 0, commit: Math.max(0, last - n) }, []);
  else if (deed === "sync") wal.flushAndSync();
  else if (deed === "crash") wal.processEnded();
  else wal.powerCut(Math.min(n, wal.unsynced));
}

test("what is read bit by bit, while the log grows and is cut, is what one reads at once", () => {
  fc.assert(
    fc.property(deeds, (all) => {
      const wal = new Wal();
      for (const [at, deed] of all.entries()) {
        perform(wal, deed, at + 1);
        const fresh = new Wal();
        fresh.records.push(...wal.records);
        fresh.flushAndSync();
        fresh.processEnded();
        assert.deepEqual(wal.replay([]), fresh.replay([]));
        const { entries, changes } = wal.replay([]);
        assert.deepEqual(
          changes,
          entries.filter(({ change }) => change !== undefined),
        );
      }
    }),
  );
});

test("facts follow a change of the membership, and its loss", () => {
  const data = new DataFolder(1, 1);
  const conf = (index: number, change: ConfChange) => entryOf(proposalOf("conf", 0, 0, 0, change), 1, index);
  data.wal.save({ term: 1, vote: 1, commit: 1 }, [conf(1, add(1))]);
  data.wal.flushAndSync();
  assert.equal(walFacts(data).sole_voter, true);
  data.wal.save(undefined, [conf(2, add(2))]);
  assert.deepEqual([walFacts(data).sole_voter, walFacts(data).others], [false, [2]]);
  data.wal.processEnded();
  assert.deepEqual([walFacts(data).sole_voter, walFacts(data).others], [true, []]);
});

test("a write of the backend counts once it is synced, and never where etcd ended before", () => {
  const clock = { now_us: 0 };
  const store = { values: [], keys: [], raised: 0 };
  const backend = (consistent_index: number) => ({ store, length: 0, consistent_index });
  const data = new DataFolder(1, 1);
  data.writeBackend(backend(5), 100, clock);
  assert.equal(data.backend_us, 100);
  assert.equal(data.backend.consistent_index, 0);
  clock.now_us = 100;
  assert.equal(data.backend.consistent_index, 5);
  data.writeBackend(backend(9), 300, clock);
  clock.now_us = 200;
  data.endBackend();
  clock.now_us = 400;
  assert.equal(data.backend.consistent_index, 5);
  data.writeBackend(backend(3), 500, clock);
  clock.now_us = 600;
  assert.equal(data.backend.consistent_index, 5, "an older one changes nothing");
});
