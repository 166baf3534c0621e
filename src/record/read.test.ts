import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { DuetError } from "../base/problem.ts";
import { encode, firstLine } from "./encode.ts";
import { parseRecord, readRecord } from "./read.ts";
import { scratch, stampAt } from "./testing.ts";

const line = (mono_ms: number, boot = "boot-1"): string =>
  encode(stampAt(mono_ms, { boot }), { kind: "event", event: "1+1", detail: {} });
const times = (text: string) => {
  const { entries, cut, damage } = parseRecord(text, "f");
  return [
    entries.map(({ mono_ms }) => mono_ms),
    cut.map((each) => each.line),
    damage.map(({ where }) => where),
  ];
};

test("a last line that was cut off is left out, and is no damage", () => {
  const whole = firstLine("a") + line(1) + line(2);
  // Wherever it is cut.
  for (let at = 1; at < line(2).length - 1; at++)
    assert.deepEqual(times(whole.slice(0, -1 - at)), [[1], [3], []]);
  assert.deepEqual(times(whole.slice(0, -1)), [[1, 2], [], []]);
  // Some file systems leave zeros where data never came.
  assert.deepEqual(times(`${whole}${"\0".repeat(500)}`), [[1, 2], [4], []]);
});

test("a line that a power cut tore stands before those of the next boot", () => {
  const text = `${firstLine("a")}${line(1)}${line(2).slice(0, 30)}\n${line(5, "boot-2")}`;
  assert.deepEqual(times(text), [[1, 5], [3], []]);
});

test("any other damage is named with file and line, and the rest is read", () => {
  const text = `${firstLine("a")}${line(1)}${line(2).slice(0, 30)}\n\n${line(3)}${line(4).replace('"1+1"', '"2+2"')}${line(5)}`;
  assert.deepEqual(times(text), [[1, 3, 5], [], ["f:3", "f:6"]]);
  const { damage } = parseRecord(text, "f");
  assert.match(damage[1]?.what ?? "", /event: /);
});

const rejected = async (paths: readonly string[], code: string): Promise<void> => {
  await assert.rejects(readRecord(paths), (error) => {
    assert.ok(error instanceof DuetError);
    assert.equal(error.problems[0]?.code, code);
    assert.equal(error.status, 2);
    return true;
  });
};

test("what is no record is refused, and so is a format that is not known", async () => {
  await using folder = await scratch();
  const path = join(folder.path, "x");
  for (const text of ["", "hello\n", line(1), firstLine("a").replace('"format":1', '"format":2')]) {
    await writeFile(path, text);
    await rejected([path], "DUET-E-RECORD-FORMAT");
  }
  await rejected([join(folder.path, "nowhere")], "DUET-E-RECORD-NONE");
  // A folder with no record in it.
  await rejected([folder.path], "DUET-E-RECORD-NONE");
});

test("files that were put behind each other are read as one", () => {
  assert.deepEqual(times(firstLine("a") + line(1) + firstLine("a") + line(2)), [[1, 2], [], []]);
});

test("a file that is named twice, or with its folder, is read once", async () => {
  await using folder = await scratch();
  const path = join(folder.path, "00000001.jsonl");
  await writeFile(path, firstLine("a") + line(1));
  assert.equal((await readRecord([folder.path, path, path])).entries.length, 1);
});
