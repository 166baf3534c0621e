import assert from "node:assert/strict";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { change_kind } from "../src/facts/messages.ts";
import { entry_type } from "../src/facts/segment.ts";
import { encodeChange, memberJson, WalBuilder } from "../src/facts/testing.ts";
import { scratchFolder, writeFiles } from "../src/facts/testing-folder.ts";
import { LogFollower } from "./log-follower.ts";
import { comesIn, type SeenLog } from "./moment-in-logs.ts";

const own = 0xbdae9bbc11dd390dn;
const other = 0x91bc3c398fb3c146n;
const urls = ["https://192.0.2.2:2380"];
const promotion = (id: bigint): Uint8Array =>
  encodeChange(change_kind.addNode, id, memberJson({ id, urls, promote: true }));
const learner = encodeChange(change_kind.addLearner, own, memberJson({ id: own, urls, learner: true }));
const bytes = (text: string): Uint8Array => Buffer.from(text);

const begun = (): WalBuilder =>
  new WalBuilder(own, 0xd1cfaf999eb97a2an)
    .entry(1, 1, learner, entry_type.change)
    .entry(2, 2, bytes("a write"))
    .state({ term: 2, vote: other, commit: 2 });

test("what is new in a log is seen at the next look, also behind a new segment, and once", async () => {
  await using scratch = await scratchFolder();
  const wal = join(scratch.path, "member", "wal");
  const log = new LogFollower();
  log.look(wal);
  await writeFiles(scratch.path, begun().files());
  log.look(wal);
  assert.deepEqual([log.memberId, log.last, log.sighted], [own, 2, []]);
  const further = begun().entry(3, 2, promotion(own), entry_type.change).entry(4, 2, bytes("a write"));
  await writeFiles(scratch.path, further.files());
  log.look(wal);
  log.look(wal);
  const promote = { what: "promote", index: 3, term: 2, memberId: own };
  assert.deepEqual([log.last, log.sighted], [4, [promote]]);
  const more = further.cut().entry(5, 2, bytes("\x2a\x0d\x0a\x0bduet/marker")).entry(6, 2, bytes("a write"));
  await writeFiles(scratch.path, more.files());
  log.look(wal);
  const marker = { what: "marker", index: 5, term: 2, memberId: undefined };
  assert.deepEqual([log.last, log.sighted], [6, [promote, marker]]);
});

test("data that was moved aside, and came back as another member's, is read from its begin", async () => {
  await using scratch = await scratchFolder();
  const wal = join(scratch.path, "member", "wal");
  const log = new LogFollower();
  await writeFiles(scratch.path, begun().files());
  log.look(wal);
  await rename(join(scratch.path, "member"), join(scratch.path, "aside"));
  log.look(wal);
  const anew = new WalBuilder(other, 1n).entry(7, 3, promotion(other), entry_type.change);
  await writeFiles(scratch.path, anew.files());
  log.look(wal);
  assert.deepEqual([log.memberId, log.last, log.sighted.length], [other, 7, 1]);
  await rm(scratch.path, { recursive: true });
  log.look(wal);
});

const seen = (memberId: bigint, ...sighted: SeenLog["sighted"]): SeenLog => ({ memberId, sighted });
const promote = (index: number, memberId: bigint, term = 2) =>
  ({ what: "promote", index, term, memberId }) as const;
const marker = (index: number) => ({ what: "marker", index, term: 2, memberId: undefined }) as const;

test("the promote entry comes when both logs have it, and is late behind the marker", () => {
  const node2 = seen(own, promote(7, own));
  assert.equal(comesIn("promote", { node1: seen(other), node2 }, 5), undefined);
  // Of another term, of another member, and of a promotion before.
  assert.equal(comesIn("promote", { node1: seen(other, promote(7, own, 1)), node2 }, 5), undefined);
  const foreign = { node1: seen(own, promote(7, 5n)), node2: seen(other, promote(7, 5n)) };
  assert.equal(comesIn("promote", foreign, 5), undefined);
  const node1 = seen(other, promote(7, own));
  assert.equal(comesIn("promote", { node1, node2 }, 7), undefined);
  const met = comesIn("promote", { node1, node2 }, 6);
  assert.deepEqual([met?.leader, met?.joiner, met?.index, met?.late], ["node1", "node2", 7, undefined]);
  const marked = { ...node2, sighted: [...node2.sighted, marker(8)] };
  assert.match(comesIn("promote", { node1, node2: marked }, 6)?.late ?? "", /node2 has written its marker/);
});

test("the marker write comes when it stands in the log of the one that promoted, behind the promotion", () => {
  const node2 = seen(own, promote(7, own), marker(9));
  const logs = (...sighted: SeenLog["sighted"]) => ({ node1: seen(other, ...sighted), node2 });
  assert.equal(comesIn("marker", logs(marker(5), promote(7, own)), 6), undefined);
  const met = comesIn("marker", logs(marker(5), promote(7, own), marker(9)), 6);
  assert.deepEqual([met?.index, met?.inBoth], [9, true]);
});
