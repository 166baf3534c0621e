import assert from "node:assert/strict";
import { appendFile, chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "../machine/process.ts";
import { encode } from "./encode.ts";
import { fileName, RecordFile } from "./file.ts";
import { readRecord } from "./read.ts";
import { scratch, stampAt } from "./testing.ts";

const silent = (why: string): never => assert.fail(why);
const line = (mono_ms: number, step = "x"): string =>
  encode(stampAt(mono_ms), { kind: "step", step, edge: "begin" });

test("files are made with a first line, only for root's eyes, and the oldest go", async () => {
  await using folder = await scratch();
  const path = join(folder.path, "record");
  const file = new RecordFile(path, "a", silent, { bytes_max: 1_000, files_max: 3 });
  for (let at = 0; at < 100; at++) file.append(line(at), at % 10 === 0);
  file.close();
  const names = (await readdir(path)).toSorted();
  assert.equal(names.length, 3);
  assert.equal((await stat(path)).mode & 0o777, 0o700);
  for (const name of names) {
    assert.equal((await stat(join(path, name))).mode & 0o777, 0o600);
    assert.ok((await stat(join(path, name))).size < 1_000 + line(0).length);
    assert.match(await readFile(join(path, name), "utf8"), /^\{"record":"duet","format":1,"machine":"a"\}\n/);
  }
  const { entries, cut, damage } = await readRecord([path]);
  assert.deepEqual([cut, damage], [[], []]);
  // The newest, without a gap.
  assert.equal(entries.at(-1)?.mono_ms, 99);
  assert.deepEqual(
    entries.map(({ mono_ms }) => mono_ms),
    Array.from({ length: entries.length }, (_, index) => 100 - entries.length + index),
  );
});

test("several processes write at once, through many rotations, and no line is lost or mixed", async () => {
  await using folder = await scratch();
  const path = join(folder.path, "record");
  const writer = (pid: number) => `
    import { RecordFile } from ${JSON.stringify(join(import.meta.dirname, "file.ts"))};
    import { encode } from ${JSON.stringify(join(import.meta.dirname, "encode.ts"))};
    import { stampAt } from ${JSON.stringify(join(import.meta.dirname, "testing.ts"))};
    const file = new RecordFile(${JSON.stringify(path)}, "a", (why) => { throw new Error(why); }, { bytes_max: 6000, files_max: 900 });
    for (let at = 0; at < 300; at++)
      file.append(encode(stampAt(at, { pid: ${pid} }), { kind: "step", step: "y".repeat(at * 3), edge: "begin" }), false);`;
  const all = [1, 2, 3].map((pid) =>
    run(
      [process.execPath, "--disable-warning=ExperimentalWarning", "--input-type=module", "-e", writer(pid)],
      {
        cwd: import.meta.dirname,
      },
    ),
  );
  await Promise.all(all);
  const { entries, files, cut, damage } = await readRecord([path]);
  assert.deepEqual([cut, damage], [[], []]);
  assert.ok(files.length > 20, `${files.length} files`);
  for (const pid of [1, 2, 3]) {
    const own = entries.filter((entry) => entry.pid === pid);
    assert.deepEqual(new Set(own.map(({ mono_ms }) => mono_ms)).size, 300);
    assert.equal(own.length, 300);
  }
});

test("a line that was cut off does not take the next one with it", async () => {
  await using folder = await scratch();
  const first = new RecordFile(folder.path, "a", silent);
  first.append(line(1), false);
  first.close();
  await appendFile(join(folder.path, fileName(1)), line(2).slice(0, 20));
  const second = new RecordFile(folder.path, "a", silent);
  second.append(line(3), false);
  second.append(line(4), false);
  second.close();
  const { entries, damage } = await readRecord([folder.path]);
  assert.deepEqual(
    entries.map(({ mono_ms }) => mono_ms),
    [1, 3, 4],
  );
  // In the same boot nothing cuts a line off.
  assert.match(damage[0]?.where ?? "", /00000001\.jsonl:3$/);
});

test("files that another process threw away are left behind", async () => {
  await using folder = await scratch();
  const slow = new RecordFile(folder.path, "a", silent, { bytes_max: 500, files_max: 2 });
  slow.append(line(1), false);
  const fast = new RecordFile(folder.path, "a", silent, { bytes_max: 500, files_max: 2 });
  for (let at = 2; at < 30; at++) fast.append(line(at), false);
  slow.append(line(30), false);
  assert.equal((await readRecord([folder.path])).entries.at(-1)?.mono_ms, 30);
  // By hand, too: what goes to a file without a name is lost.
  for (const name of await readdir(folder.path)) await rm(join(folder.path, name));
  slow.append(line(31), false);
  for (const file of [slow, fast]) file.close();
  assert.equal((await readRecord([folder.path])).entries.at(-1)?.mono_ms, 31);
});

test("what can't be written is told once, and harms nobody", async () => {
  await using folder = await scratch();
  const path = join(folder.path, "record");
  await writeFile(path, "a file is in the way");
  const told: string[] = [];
  const file = new RecordFile(path, "a", (why) => told.push(why));
  for (let at = 0; at < 3; at++) file.append(line(at), true);
  assert.equal(told.length, 1);
  assert.match(told[0] ?? "", /record: E[A-Z]+$/);
  // And a folder that nobody may write to, where the tests do not run as root.
  const closed = join(folder.path, "closed");
  await mkdir(closed);
  await chmod(closed, 0o500);
  new RecordFile(closed, "a", () => {}).append(line(1), true);
});
