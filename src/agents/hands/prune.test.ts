import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pruneKept, type Room } from "./prune.ts";

const block = 64 << 10;

/** Copies of one block each; what is left of them. */
async function left(copies: readonly string[], room: Room): Promise<readonly string[]> {
  const kept = mkdtempSync(join(tmpdir(), "duet-kept-"));
  try {
    for (const name of copies) {
      mkdirSync(join(kept, name, "member", "wal"), { recursive: true });
      writeFileSync(join(kept, name, "member", "wal", "0.wal"), Buffer.alloc(block, 1), { flush: true });
    }
    const gone = await pruneKept(kept, room);
    const there = readdirSync(kept).toSorted();
    assert.equal(gone.filter((name) => there.includes(name)).length, 0);
    return there;
  } finally {
    rmSync(kept, { recursive: true });
  }
}

const asides = ["aside-0002", "aside-0009", "aside-0010", "aside-10000"];

test("what a join left half-made goes, all of it", async () => {
  assert.deepEqual(
    await left(["half-0007", "half-0008", "aside-0001", "epoch-3"], { copies_max: 3, bytes_max: 1 << 30 }),
    ["aside-0001", "epoch-3"],
  );
});

test("of each kind the newest stay, by their numbers", async () => {
  assert.deepEqual(
    await left([...asides, "epoch-3", "epoch-20"], { copies_max: 2, bytes_max: 100 * block }),
    ["aside-0010", "aside-10000", "epoch-20", "epoch-3"],
  );
});

test("where there is no room the newest of each kind stays all the same", async () => {
  assert.deepEqual(await left([...asides, "epoch-3", "epoch-20"], { copies_max: 3, bytes_max: 1 }), [
    "aside-10000",
    "epoch-20",
  ]);
  const some = await left(asides, { copies_max: 9, bytes_max: 2 * block + 4096 });
  assert.deepEqual(some, ["aside-0010", "aside-10000"]);
});

test("half of a removed copy goes, and what is no copy stays", async () => {
  const names = ["going-aside-0001", "notes", "aside-0001"];
  assert.deepEqual(await left(names, { copies_max: 3, bytes_max: 100 * block }), ["aside-0001", "notes"]);
});

test("no folder, nothing to do", async () => {
  assert.deepEqual(await pruneKept(join(tmpdir(), "duet-there-is-none")), []);
});
