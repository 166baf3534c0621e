import assert from "node:assert/strict";
import { test } from "node:test";
import { DuetError } from "../base/problem.ts";
import { backendOf } from "./bolt.ts";
import { memorySource } from "./source.ts";
import { database, page_bytes } from "./testing-bolt.ts";

const read = (file: Buffer): number => backendOf(memorySource("db", file)).consistentIndex;

test("the consistent index is found in a page, inline, and below a branch", () => {
  for (const options of [{}, { inline: true }, { branch: true }])
    assert.equal(read(database(123_456_789n, options)), 123_456_789);
});

test("the newer of the two first pages counts, and the older one if that is broken", () => {
  const file = database(5n, { branch: true });
  file.writeUInt8(0, page_bytes + 20);
  assert.equal(read(file), 5);
  file.writeUInt8(0, 20);
  assert.throws(() => read(file), /neither of the two first pages is whole/);
});

test("damage is an error or no number changes, and nothing crashes or hangs", () => {
  const file = database(77n);
  const value_at = file.indexOf("consistent_index") + "consistent_index".length;
  for (let at = 0; at < 6 * page_bytes; at += 1) {
    if (at >= value_at && at < value_at + 8) continue;
    const damaged = Buffer.from(file);
    damaged[at] = (damaged[at] ?? 0) ^ 0x41;
    try {
      // A key that is spelt otherwise reads as never saved. bbolt has no checksum for its pages: more can't be seen.
      assert.ok([77, 0].includes(read(damaged)) || isInHeader(file, at), `byte ${at}`);
    } catch (error) {
      assert.ok(error instanceof DuetError, `byte ${at}: ${String(error)}`);
    }
  }
});

/** Offsets and lengths of elements: they may point at other bytes of the page. */
const isInHeader = (file: Buffer, at: number): boolean => {
  const count = file.readUInt16LE(Math.floor(at / page_bytes) * page_bytes + 10);
  return at % page_bytes < 16 + count * 16;
};
