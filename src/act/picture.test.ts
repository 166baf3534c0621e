import assert from "node:assert/strict";
import { test } from "node:test";
import { empty, type Holding, no_word, type Tag } from "../decide/facts.ts";
import { gaveUp, mayGoOn } from "../decide/lineage.ts";
import type { Published } from "./effects.ts";
import {
  isFalseOff,
  nothing_remembered,
  picture,
  type Readings,
  type Remembered,
  remember,
  rememberOff,
  rememberTags,
} from "./picture.ts";
import { logOf, pick } from "./testing.ts";

const voter: Holding = {
  ...empty,
  data: true,
  standing: "voter",
  full: true,
  lineage: { epoch: 5, owner: "a" },
  others: "b1",
};
const says = (holding: Holding, boot?: string): Published => ({
  holding,
  serving: false,
  running: false,
  leaving: false,
  isNew: false,
  witness: "on",
  boot,
  turn: 1,
  logEnd: undefined,
});
const surrender = says({ ...voter, others: "", surrendered: 6, echo: "b1" });

const readings: Readings = {
  me: "a",
  peerName: "b",
  state: pick(voter),
  log: logOf(voter),
  membership: { ring: "7", peer: true },
  said: undefined,
  remembered: nothing_remembered,
  peerServes: false,
  peerStuck: false,
  peerPower: "on",
  fencePending: true,
  started: true,
  word: no_word,
  tags: { mine: { kind: "blank" }, theirs: { kind: "blank" } },
  witness: "on",
  firstStart: false,
  etcd: { running: true, leader: false, failedStarts: 0 },
  stopping: "restart",
};

test("a peer is seen now, before in this boot, or never; what it said in another membership counts only once it is gone", () => {
  const boot = remember(nothing_remembered, { ring: "6", peer: true }, says(voter));
  const again = picture({ ...readings, remembered: boot }).peer;
  assert.deepEqual([again.seen, again.seen === "now" && again.facts], ["now", undefined]);
  const lost = picture({ ...readings, membership: { ring: "8", peer: false }, remembered: boot }).peer;
  assert.deepEqual([lost.seen, lost.seen === "before" && lost.facts], ["before", voter]);
  assert.equal(picture({ ...readings, membership: { ring: "8", peer: false } }).peer.seen, "never");
});

test("a word is remembered until there is a newer one, and that the peer was here for the whole boot", () => {
  const first = remember(nothing_remembered, { ring: "6", peer: true }, says(voter));
  assert.deepEqual(remember(first, { ring: "7", peer: false }, undefined), first);
  const next = remember(first, { ring: "8", peer: true }, surrender);
  assert.equal(next.heard, surrender);
});

test("Off is proven for one membership without the peer, and void in any other", () => {
  const proven: Remembered = { ...nothing_remembered, seen: true, provenIn: "8", wentOff: false };
  const proof = (ring: string, peer: boolean) =>
    picture({ ...readings, remembered: proven, membership: { ring, peer } }).proof;
  assert.deepEqual([proof("8", false), proof("8", true), proof("9", false)], ["off", "void", "void"]);
  assert.equal(picture(readings).proof, "none");
});

test("a peer that is heard again in the boot in which it was read Off ran on: found once for each Off, and of no other boot", () => {
  const together = { ring: "6", peer: true };
  const heard = remember(nothing_remembered, together, says(voter, "b-1"));
  assert.ok(!isFalseOff(heard, says(voter, "b-1")), "no Off was read");
  const off = rememberOff(heard, "8", false);
  assert.deepEqual([off.provenIn, off.offBoot], ["8", "b-1"]);
  for (const boot of ["b-2", undefined]) assert.ok(!isFalseOff(off, says(voter, boot)), boot);
  assert.ok(!isFalseOff(off, undefined), "nobody was heard");
  const ranOn = says(voter, "b-1");
  assert.ok(isFalseOff(off, ranOn));
  const told = remember(off, { ring: "9", peer: true }, ranOn);
  assert.ok(!isFalseOff(told, ranOn), "once");
  assert.ok(isFalseOff(rememberOff(told, "10", true), ranOn), "and once more after the next Off");
  const fenced = remember(off, { ring: "9", peer: true }, says(voter, "b-2"));
  assert.ok(
    !isFalseOff(remember(fenced, { ring: "11", peer: true }, says(voter, "b-2")), says(voter, "b-2")),
  );
});

test("of a boot that nobody told nothing is concluded", () => {
  for (const heard of [
    nothing_remembered,
    remember(nothing_remembered, { ring: "6", peer: true }, says(voter)),
  ]) {
    const off = rememberOff(heard, "8", false);
    for (const boot of ["b-1", undefined]) assert.ok(!isFalseOff(off, says(voter, boot)));
  }
});

test("a surrender is said to the members that the peer's log had, and ends with them", () => {
  const heard = remember(nothing_remembered, { ring: "7", peer: true }, surrender);
  const now = picture({ ...readings, said: surrender, remembered: heard });
  assert.ok(gaveUp(now) && mayGoOn(now));
  // It has joined anew as b2, is full by now, and the wire is cut before its new word is heard.
  const lost = { ring: "8", peer: false };
  const joined = { ...logOf(voter), others: "b2" };
  const late = picture({ ...readings, log: joined, membership: lost, remembered: heard });
  assert.ok(!gaveUp(late) && !mayGoOn(late));
});

test("what this machine says is said to the members that it heard of", () => {
  const heard = remember(nothing_remembered, { ring: "6", peer: true }, says({ ...voter, others: "a3" }));
  assert.equal(picture({ ...readings, remembered: heard }).self.echo, "a3");
  assert.equal(
    picture({ ...readings, remembered: heard, said: says({ ...voter, others: "a4" }) }).self.echo,
    "a4",
  );
  assert.equal(picture(readings).self.echo, "");
});

test("what a tag said in this boot stays known while it is newer than the data, and is told apart from what stands there", () => {
  const tag = (epoch: number) => ({ kind: "lineage", epoch, owner: "b" }) as const;
  const blank = { kind: "blank" } as const;
  const lost = { ...readings, membership: { ring: "8", peer: false }, remembered: nothing_remembered };
  const look = (remembered: Remembered, mine: Tag, theirs: Tag) =>
    picture({ ...lost, remembered, tags: { mine, theirs } });
  const after = (was: Remembered, mine: Tag, theirs: Tag) => rememberTags(was, look(was, mine, theirs));
  const once = after(nothing_remembered, tag(7), tag(7));
  assert.deepEqual(once.tags, [{ epoch: 7, owner: "b" }]);
  assert.equal(after(once, tag(7), blank), once, "nothing new");
  assert.equal(after(once, tag(4), blank), once, "nothing newer");
  const more = after(once, tag(8), tag(9));
  assert.deepEqual(
    more.tags.map(({ epoch }) => epoch),
    [7, 8, 9],
  );
  assert.equal(look(once, tag(7), blank).tags.gone, undefined);
  assert.deepEqual(look(once, blank, blank).tags.gone, [{ epoch: 7, owner: "b" }]);
  const later = picture({
    ...lost,
    state: pick({ ...voter, lineage: { epoch: 9, owner: "b" } }),
    remembered: more,
  });
  assert.equal(later.tags.gone, undefined, "its data is as new by now");
  assert.deepEqual(rememberTags(more, later).tags, []);
});

test("a peer that is here, and whose disk shows that a tag's takeover never served, acquits the tag for good", () => {
  const forged = { kind: "lineage", epoch: 9, owner: "b" } as const;
  const warned: Remembered = { ...nothing_remembered, tags: [{ epoch: 9, owner: "b" }] };
  const here = (holding: Holding) =>
    picture({ ...readings, said: says(holding), remembered: warned, tags: { mine: forged, theirs: forged } });
  assert.deepEqual(rememberTags(warned, here(voter)).tags, []);
  const open: Holding = { ...voter, takeover: { step: "intent", epoch: 9 } };
  assert.equal(rememberTags(warned, here(open)), warned, "with an intent nothing is sure");
  assert.equal(
    rememberTags(warned, here({ ...voter, lineage: undefined })),
    warned,
    "a new disk shows nothing",
  );
});
