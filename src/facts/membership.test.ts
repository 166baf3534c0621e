import assert from "node:assert/strict";
import { test } from "node:test";
import { type MemberFacts, readFiles } from "./facts.ts";
import { change_kind } from "./messages.ts";
import { entry_type } from "./segment.ts";
import { encodeChange, memberFiles, memberJson, WalBuilder } from "./testing.ts";

const me = 0xbdae9bbc11dd390dn;
const peer = 0x91bc3c398fb3c146n;
const stranger = 0xfd422379fda50e48n;

type Change = readonly [kind: number, id: bigint, context?: string];
const urlsOf = (id: bigint) => [`http://192.0.2.${id % 200n}:2380`];
const add = (id: bigint): Change => [change_kind.addNode, id, memberJson({ id, urls: urlsOf(id) })];
const addLearner = (id: bigint): Change => [
  change_kind.addLearner,
  id,
  memberJson({ id, urls: urlsOf(id), learner: true }),
];
const promote = (id: bigint, kind: number = change_kind.addNode): Change => [
  kind,
  id,
  memberJson({ id, urls: [], promote: true }),
];
const remove = (id: bigint): Change => [change_kind.removeNode, id];

/** A log of these changes, all of them committed. */
function folded(...changes: readonly Change[]): MemberFacts {
  const builder = new WalBuilder(me, 0xd1cfaf999eb97a2an);
  for (const [n, [kind, id, context]] of changes.entries())
    builder.entry(n + 1, 1, encodeChange(kind, id, context), entry_type.change);
  builder.state({ term: 1, vote: 0n, commit: changes.length });
  return readFiles(memberFiles(builder.files()), { segment_bytes: 0 }).facts;
}

test("a promotion that was asked for twice is one promotion", () => {
  const twice = folded(add(me), addLearner(peer), promote(peer), promote(peer), promote(peer));
  assert.deepEqual(twice.configuration, folded(add(me), addLearner(peer), promote(peer)).configuration);
  assert.equal(twice.configuration.unknown, undefined);
  assert.equal(twice.standing, "voter");
  // What follows is judged as ever.
  assert.deepEqual(folded(add(me), promote(me), addLearner(peer)).configuration.learners, [peer]);
});

test("a removal that was asked for twice is one removal, and of a stranger none", () => {
  const twice = folded(add(me), add(peer), remove(peer), remove(peer));
  assert.deepEqual(twice.configuration, folded(add(me), add(peer), remove(peer)).configuration);
  assert.equal(twice.standing, "voter");
  assert.equal(twice.removalInLog, false);
  assert.deepEqual(folded(add(me), remove(stranger)).configuration, {
    voters: [me],
    learners: [],
    removed: [],
    unknown: undefined,
  });
});

test("whatever a removal of this member does, it is in the log", () => {
  const early = folded(add(peer), remove(me));
  assert.deepEqual([early.standing, early.removalInLog], ["none", true]);
  const late = folded(add(peer), add(me), remove(me), remove(me));
  assert.deepEqual([late.standing, late.removalInLog], ["removed", true]);
});

test("void changes that would change something if they were applied stay unknown", () => {
  const unknown: Readonly<Record<string, MemberFacts>> = {
    "a member that was removed": folded(add(me), add(peer), remove(peer), promote(peer)),
    "can't be promoted": folded(add(me), promote(peer)),
    // raft would make the voter a learner.
    "entry 2 promotes what can't be promoted": folded(add(me), promote(me, change_kind.addLearner)),
    "removed before it was there": folded(add(me), remove(peer), add(peer)),
    "entry 3 adds a member that is there": folded(add(me), add(peer), addLearner(peer)),
  };
  for (const [why, { standing, configuration }] of Object.entries(unknown)) {
    assert.equal(standing, "unknown", why);
    assert.match(configuration.unknown ?? "", new RegExp(why));
  }
});
