import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { DuetError, exit } from "../../base/problem.ts";
import { encode, firstLine } from "../../record/encode.ts";
import { parseRecord } from "../../record/read.ts";
import { scratch, stampAt } from "../../record/testing.ts";
import { exported } from "./export.ts";

const line = (mono_ms: number) => encode(stampAt(mono_ms), { kind: "event", event: "1+1", detail: {} });

async function text(folder: string, bytes_max?: number): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of exported(folder, bytes_max)) parts.push(part);
  return Buffer.concat(parts).toString();
}

test("the files of a recorder come in their order, and are read as one", async () => {
  await using folder = await scratch();
  const [first, second] = [firstLine("a") + line(1), firstLine("a") + line(2) + line(3)];
  // A power cut tore its last line.
  await writeFile(join(folder.path, "00000001.jsonl"), `${first}{"at":"2026`);
  await writeFile(join(folder.path, "00000002.jsonl"), second);
  await writeFile(join(folder.path, "other"), "not a record");
  const { entries } = parseRecord(await text(folder.path), "a");
  assert.deepEqual(
    entries.map(({ mono_ms }) => mono_ms),
    [1, 2, 3],
  );
});

test("with little room the newest come, and one file at least", async () => {
  await using folder = await scratch();
  for (const number of [1, 2, 3])
    await writeFile(join(folder.path, `0000000${number}.jsonl`), firstLine("a") + line(number));
  const one_bytes = Buffer.byteLength(firstLine("a") + line(1));
  const times = async (bytes_max: number) =>
    parseRecord(await text(folder.path, bytes_max), "a").entries.map(({ mono_ms }) => mono_ms);
  assert.deepEqual(await times(2 * one_bytes), [2, 3]);
  assert.deepEqual(await times(1), [3]);
});

test("where there is no record that is said, with status 3", async () => {
  await using folder = await scratch();
  for (const path of [folder.path, join(folder.path, "nowhere")])
    await assert.rejects(
      text(path),
      (error) =>
        error instanceof DuetError &&
        error.status === exit.notHere &&
        error.problems[0]?.code === "DUET-E-RECORD-NONE",
    );
});
