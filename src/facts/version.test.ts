import assert from "node:assert/strict";
import { test } from "node:test";
import { backendOf } from "./bolt.ts";
import { readFiles } from "./facts.ts";
import { memorySource } from "./source.ts";
import { memberFiles, WalBuilder } from "./testing.ts";
import { database } from "./testing-bolt.ts";
import { varint } from "./wire.ts";

const field = (number: number, bytes: Iterable<number>): number[] => {
  const content = [...bytes];
  return [...varint((number << 3) | 2), ...varint(content.length), ...content];
};
/** etcd's request: a header with an id, and the version that is set. */
const setting = (version: string): Uint8Array =>
  Uint8Array.from([...field(100, [0x08, 0x2a]), ...field(1300, field(1, Buffer.from(version)))]);
const put = (value: Iterable<number>): Uint8Array =>
  Uint8Array.from([
    ...field(4, [...field(1, Buffer.from("key")), ...field(2, value)]),
    ...field(100, [0x08, 1]),
  ]);

const wal = (): WalBuilder => new WalBuilder(1n, 2n);
const read = (builder: WalBuilder, versions?: readonly string[]): string | undefined =>
  readFiles({ ...memberFiles(builder.files()), versions }, { segment_bytes: 0 }).facts.version;

test("the log tells the version that its cluster agreed on, committed or not", () => {
  assert.equal(read(wal().entry(1, 1).state({ term: 1, vote: 1n, commit: 1 })), undefined);
  assert.equal(read(wal().entry(1, 1, setting("3.5.0")).state({ term: 1, vote: 1n, commit: 1 })), "3.5.0");
  const raised = wal()
    .entry(1, 1, setting("3.5.0"))
    .state({ term: 1, vote: 1n, commit: 1 })
    .entry(2, 1, setting("3.6.0"));
  assert.equal(read(raised), "3.6.0");
  assert.equal(read(raised, ["3.7.0"]), "3.7.0");
  assert.equal(read(raised, ["3.5.0", ""]), "3.6.0");
});

test("an entry that was replaced, and one before the snapshot, counts as little as for etcd", () => {
  const replaced = wal()
    .entry(1, 1, setting("3.5.0"))
    .entry(2, 1, setting("3.6.0"))
    .entry(2, 2)
    .state({ term: 2, vote: 1n, commit: 2 });
  assert.equal(read(replaced), "3.5.0");
  const members = [{ id: 1n, urls: ["http://a"] }];
  const before = wal()
    .entry(1, 1, setting("3.6.0"))
    .entry(2, 1)
    .state({ term: 1, vote: 1n, commit: 2 })
    .snapshot({ index: 2, term: 1, members, removed: [] });
  assert.equal(read(before), undefined);
});

test("what only looks like it is none: a value with the same bytes, a request that is cut off", () => {
  for (const payload of [
    put(setting("3.9.0")),
    put([0xa2, 0x51, 7]),
    Uint8Array.from([0xa2, 0x51]),
    Uint8Array.from([0xa2, 0x51, 2, 8, 1]),
    setting("not a version"),
    Buffer.concat([setting("3.6.0"), Buffer.alloc(80)]),
  ])
    assert.equal(read(wal().entry(1, 1, payload).state({ term: 1, vote: 1n, commit: 1 })), undefined);
});

test("the database names its cluster's version, and from 3.6 on its own", () => {
  const versionsOf = (names: Parameters<typeof database>[1]) =>
    backendOf(memorySource("db", database(7n, names))).versions;
  assert.deepEqual(versionsOf({}), []);
  assert.deepEqual(versionsOf({ cluster: "3.5.0" }), ["3.5.0"]);
  assert.deepEqual(versionsOf({ cluster: "3.6.0", storage: "3.6.0" }), ["3.6.0", "3.6.0"]);
  assert.deepEqual(versionsOf({ cluster: "3.5.0", storage: "", inline: true }), ["3.5.0"]);
});
