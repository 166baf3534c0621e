import assert from "node:assert/strict";
import { test } from "node:test";
import { DuetError, fail } from "../../base/problem.ts";
import { choiceNow, turned } from "../../decide/choice.ts";
import { type Choice, empty, type Holding } from "../../decide/facts.ts";
import { decodeChoice, encodeChoice } from "../hands/choice-text.ts";
import { wordIn } from "../hands/memory.ts";
import { speak, wordNow } from "../hands/word.ts";
import { chooseData } from "./choose.ts";
import { lineage, Office, voter } from "./testing.ts";

const other: Holding = { ...voter, lineage: { epoch: 5, owner: "b" } };
const ring = "1.11";

/** With both BMCs' tags, as they are shown. */
const between = (of: Choice["of"]): Choice =>
  choiceNow(of, { self: voter, theirs: other, tags: [lineage, lineage] });
const sides = { me: "a", peerName: "b", self: voter, theirs: other };

/** Both served epoch 5, each its own. */
function tie(theirs: Holding = other): Office {
  const office = new Office();
  office.corosync.join(ring);
  office.world.peer = { ...office.world.peer, on: true, member: true, holding: theirs };
  office.world.boot = { ...office.world.boot, heard: true, quorum: true };
  office.changes = { fencePending: false };
  return office;
}

const never = async (): Promise<boolean> => false;
const refused = (what: RegExp) => (error: unknown) =>
  error instanceof DuetError &&
  error.problems[0]?.code === "DUET-E-CHOOSE-REFUSED" &&
  what.test(error.problems[0].what);

test("a choice is said here and to the peer, for this membership, and recorded with what is lost", async () => {
  const office = tie();
  office.serveWhenWoken();
  const end = await chooseData(office.desk, "a", undefined, never);
  assert.deepEqual({ outcome: end.outcome, told: end.told }, { outcome: "serves", told: true });
  assert.deepEqual(wordIn(office.saying.memory.read(), ring).choose, between("self"));
  assert.match(
    office.recorded[0] ?? "",
    /duet choose-data a: .*everything that only b holds \(epoch 5 of b\)/,
  );
  assert.ok(office.notes.includes("forget failed-starts"));

  const peer = { ...new Office().saying, me: "b", peerName: "a", pacemaker: office.pacemaker.of("b") };
  const sides = { me: "b", peerName: "a", self: other, theirs: voter };
  const heard = turned(between("self"));
  assert.deepEqual((await wordNow(peer, ring, sides)).choose, heard);
  // It has given its own up for it.
  const given = { ...sides, self: { ...other, surrendered: 6 } };
  assert.deepEqual((await wordNow(peer, ring, given)).choose, heard);
  assert.equal((await wordNow(peer, ring, undefined)).choose, undefined, "with nobody there it is not asked");
  const begun: Holding = { ...voter, lineage: { epoch: 1_000_000, owner: "a" } };
  assert.deepEqual((await wordNow(peer, ring, { ...given, theirs: begun })).choose, heard, "carried out");
  for (const [self, theirs] of [
    [begun, begun],
    [begun, { ...begun, surrendered: 1_000_001 }],
    [begun, empty],
    [
      { ...other, lineage: { epoch: 6, owner: "b" } },
      { ...voter, surrendered: 6 },
    ],
    [other, { ...voter, surrendered: 6 }],
  ] as const)
    assert.equal((await wordNow(peer, ring, { ...sides, self, theirs })).choose, undefined, "it is over");
  assert.equal(
    (await wordNow(peer, "1.15", sides)).choose,
    undefined,
    "in another membership it says nothing",
  );
});

test("two choices that contradict each other are none, and the later one is sent to where it can be mended", async () => {
  const office = tie();
  const there = { ...new Office().saying, me: "b", peerName: "a", pacemaker: office.pacemaker.of("b") };
  await speak(office.saying, ring, { choose: between("self") });
  const theirs = encodeChoice(turned(between("peer")));
  await there.pacemaker.setAttribute("duet-chosen", `${ring} ${theirs}`, 1_000);
  assert.equal((await wordNow(office.saying, ring, sides)).choose, undefined);
  // What was said on an older duet, which says not between what, is none.
  const old = { ...there.pacemaker, attributeOf: async () => `${ring} b` };
  const alone = { ...office.saying, pacemaker: old };
  assert.equal((await wordNow(alone, ring, sides)).choose?.of, "self");
  await assert.rejects(
    chooseData(office.desk, "a", undefined, never),
    refused(/somebody chose the data of b there/),
  );
  let given = false;
  office.woken = () => {
    given = true;
  };
  // The same as there: that is agreed.
  await chooseData(office.desk, "b", undefined, async () => given);
  assert.equal((await wordNow(office.saying, ring, sides)).choose?.of, "peer");
});

test("that the peer could not be told is said before the wait, and a choice that is said there too accepts what was shown there", async () => {
  const office = tie();
  const order: string[] = [];
  const setAttribute = async () => fail("DUET-E-TEST", "attrd", "it does not answer", "nothing");
  const saying = { ...office.saying, pacemaker: { ...office.pacemaker.of("a"), setAttribute } };
  office.woken = () => {
    order.push("woken");
    office.world.etcd = { ...office.world.etcd, running: true };
  };
  const { hands } = office.desk;
  const desk = { ...office.desk, hands: { ...hands, saying }, say: (text: string) => void order.push(text) };
  const end = await chooseData(desk, "a", undefined, never);
  assert.equal(end.told, false);
  assert.deepEqual(order.slice(0, 2), ["b could not be told: run `duet choose-data a` there too.", "woken"]);

  const [here, there] = [
    { epoch: 6, owner: "a" },
    { epoch: 7, owner: "b" },
  ];
  const again = tie();
  await speak(again.saying, ring, { choose: { ...between("self"), tags: [here] } });
  const theirs = encodeChoice({ ...turned(between("self")), tags: [there] });
  await again.pacemaker.of("b").setAttribute("duet-chosen", `${ring} ${theirs}`, 1_000);
  assert.deepEqual((await wordNow(again.saying, ring, sides)).choose?.tags, [here, there]);
});

test("a choice of an older duet, which does not say which tags were shown, accepts none", () => {
  const text = encodeChoice(between("self")).replace(/,"tags":\[.*\]/, "");
  assert.ok(!text.includes("tags"));
  assert.deepEqual(decodeChoice(text), { ...between("self"), tags: [] });
});

test("a choice that is not confirmed at the prompt is recorded as that, and nobody gives anything up", async () => {
  const office = tie();
  office.agrees = false;
  await assert.rejects(chooseData(office.desk, "a", undefined, never), (error) => {
    return error instanceof DuetError && error.problems[0]?.code === "DUET-E-ADMIN-NO";
  });
  assert.equal(office.recorded.length, 1);
  assert.match(office.recorded[0] ?? "", /^alice: duet choose-data a \(not confirmed\): .*may be lost: /);
  assert.equal(wordIn(office.saying.memory.read(), ring).choose, undefined);
});

test("the one that is not chosen waits until it has given its data up", async () => {
  const office = tie();
  let given = false;
  office.woken = () => {
    given = true;
  };
  const end = await chooseData(office.desk, "b", undefined, async () => given);
  assert.equal(end.outcome, "gives up");
  assert.deepEqual(wordIn(office.saying.memory.read(), ring).choose, between("peer"));
});

test("data that can't be served is not chosen, and nothing is where both hold the same", async () => {
  await assert.rejects(
    chooseData(tie({ ...other, full: false }).desk, "b", undefined, never),
    refused(/not known to be complete/),
  );
  await assert.rejects(chooseData(tie(voter).desk, "a", undefined, never), refused(/the same data/));
  const alone = new Office();
  await assert.rejects(chooseData(alone.desk, "b", undefined, never), refused(/not here/));
  assert.match(
    alone.recorded.join(),
    /^alice: duet choose-data b \(refused, DUET-E-CHOOSE-REFUSED, b: it is not here[^:]*\): /,
  );
  // A stale machine, say: the peer serves, and a choice would switch it off for older data.
  const stale = new Office();
  stale.world.peer = { ...stale.world.peer, on: true };
  await assert.rejects(chooseData(stale.desk, "a", undefined, never), refused(/nothing to choose between/));
  assert.equal(stale.world.peer.on, true);
  assert.equal(wordIn(stale.saying.memory.read(), ring).choose, undefined);
});

/** It gave up what it holds, and its peer is away. */
function alone(epoch = 5): Office {
  const office = new Office({ ...voter, surrendered: 6 });
  const tag = { epoch, owner: epoch === 5 ? "a" : "b" };
  office.world.tags = { mine: tag, theirs: tag };
  office.world.peer = { ...office.world.peer, on: true };
  office.serveWhenWoken();
  return office;
}

test("what was given up can be chosen when the peer is gone: it is switched off first", async () => {
  const office = alone();
  const end = await chooseData(office.desk, "a", undefined, never);
  assert.equal(end.outcome, "serves");
  assert.equal(end.told, null);
  assert.equal(office.world.peer.on, false);
  const { choose, ...word } = wordIn(office.saying.memory.read(), "1.d");
  assert.deepEqual(word, { peerDown: false, accept: undefined });
  assert.deepEqual(choose?.mine, { lineage: voter.lineage, surrendered: 6 });
});

test("on standby nobody is switched off for a choice: nothing would start here", async () => {
  const office = alone();
  office.changes = { started: false, stopping: "standby" };
  await assert.rejects(
    chooseData(office.desk, "a", undefined, never),
    (error) => error instanceof DuetError && error.problems[0]?.code === "DUET-E-ADMIN-AT-REST",
  );
  assert.equal(office.world.peer.on, true);
  assert.equal(wordIn(office.saying.memory.read(), "1.d").choose, undefined);
});

test("what the peer served since is named, or nothing is chosen and nobody is switched off", async () => {
  for (const accept of [undefined, 5, "unknown"] as const) {
    const office = alone(6);
    await assert.rejects(chooseData(office.desk, "a", accept, never), (error) => {
      const [problem] = error instanceof DuetError ? error.problems : [];
      assert.match(problem?.what ?? "", /^R-NEWER-TAG: .*epoch 6 was taken over/);
      assert.match(problem?.fix ?? "", /`duet choose-data a --accept-data-loss 6`$/);
      return problem?.code === "DUET-E-CHOOSE-REFUSED";
    });
    assert.equal(office.world.peer.on, true);
    assert.equal(wordIn(office.saying.memory.read(), "1.d").choose, undefined);
    assert.match(
      office.recorded.join(),
      /duet choose-data a.* \(refused, DUET-E-CHOOSE-REFUSED, a: R-NEWER-TAG: .*\): .*up to epoch 6/,
    );
  }
  const office = alone(6);
  const end = await chooseData(office.desk, "a", 6, never);
  assert.deepEqual([end.outcome, end.accepted], ["serves", 6]);
  assert.equal(office.world.peer.on, false);
  assert.equal(wordIn(office.saying.memory.read(), "1.d").accept, 6);
});
