import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fixtures } from "../../facts/testing-fixtures.ts";
import { scratchFolder, writeFiles } from "../../facts/testing-folder.ts";
import { nothing_said } from "../hands/testing.ts";
import { logEndsNow } from "./log-ends.ts";
import { Office } from "./testing.ts";

test("the own log's end is read from its files, the peer's is what it last told", async () => {
  const { memory } = new Office().saying;
  const [fixture] = fixtures();
  assert.ok(fixture !== undefined);
  await using folder = await scratchFolder();
  const data = await writeFiles(join(folder.path, "etcd"), fixture.files);
  const { term, index } = fixture.oracle.last;
  assert.deepEqual(logEndsNow(data, memory), { mine: { term, index }, theirs: undefined });
  const logEnd = { term: 9, index: 1_300 };
  await memory.change((was) => ({
    ...was,
    remembered: { ...was.remembered, seen: true, heard: { ...nothing_said, logEnd } },
  }));
  assert.deepEqual(logEndsNow(data, memory).theirs, logEnd);
});

test("a log that is not there, or can't be read, has no end that is known, and stops nobody", async () => {
  const { memory } = new Office().saying;
  await using folder = await scratchFolder();
  assert.equal(logEndsNow(folder.path, memory).mine, undefined);
  const wal = join(folder.path, "member", "wal");
  await mkdir(wal, { recursive: true });
  await writeFile(join(wal, "0000000000000000-0000000000000000.wal"), "a log by its name alone");
  assert.equal(logEndsNow(folder.path, memory).mine, undefined);
});
