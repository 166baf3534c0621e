import assert from "node:assert/strict";
import { test } from "node:test";
import { DuetError } from "../../base/problem.ts";
import type { Holding } from "../../decide/facts.ts";
import { wordIn } from "../hands/memory.ts";
import { speak, wordNow } from "../hands/word.ts";
import { chooseData } from "./choose.ts";
import { Office, voter } from "./testing.ts";

const other: Holding = { ...voter, lineage: { epoch: 5, owner: "b" } };
const ring = "1.11";

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
  const end = await chooseData(office.desk, "a", never);
  assert.deepEqual({ outcome: end.outcome, told: end.told }, { outcome: "serves", told: true });
  assert.equal(wordIn(office.saying.memory.read(), ring).choose, "self");
  assert.match(
    office.recorded[0] ?? "",
    /duet choose-data a: .*everything that only b holds \(epoch 5 of b\)/,
  );
  assert.ok(office.notes.includes("forget failed-starts"));

  const peer = { ...new Office().saying, me: "b", peerName: "a", pacemaker: office.pacemaker.of("b") };
  assert.equal((await wordNow(peer, ring, true)).choose, "peer");
  assert.equal((await wordNow(peer, ring, false)).choose, undefined, "who is whole does not ask");
  assert.equal(
    (await wordNow(peer, "1.15", true)).choose,
    undefined,
    "in another membership it says nothing",
  );
});

test("two choices that contradict each other are none, and the later one is sent to where it can be mended", async () => {
  const office = tie();
  const there = { ...new Office().saying, me: "b", peerName: "a", pacemaker: office.pacemaker.of("b") };
  await speak(office.saying, ring, { choose: "self" });
  await there.pacemaker.setAttribute("duet-chosen", `${ring} b`, 1_000);
  assert.equal((await wordNow(office.saying, ring, true)).choose, undefined);
  await assert.rejects(chooseData(office.desk, "a", never), refused(/somebody chose the data of b there/));
  let given = false;
  office.woken = () => {
    given = true;
  };
  // The same as there: that is agreed.
  await chooseData(office.desk, "b", async () => given);
  assert.equal((await wordNow(office.saying, ring, true)).choose, "peer");
});

test("a choice that is not confirmed at the prompt is recorded as that, and nobody gives anything up", async () => {
  const office = tie();
  office.agrees = false;
  await assert.rejects(chooseData(office.desk, "a", never), (error) => {
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
  const end = await chooseData(office.desk, "b", async () => given);
  assert.equal(end.outcome, "gives up");
  assert.equal(wordIn(office.saying.memory.read(), ring).choose, "peer");
});

test("data that can't be served is not chosen, and nothing is where both hold the same", async () => {
  await assert.rejects(
    chooseData(tie({ ...other, full: false }).desk, "b", never),
    refused(/not known to be complete/),
  );
  await assert.rejects(chooseData(tie(voter).desk, "a", never), refused(/the same data/));
  const alone = new Office();
  await assert.rejects(chooseData(alone.desk, "b", never), refused(/not here/));
  assert.match(alone.recorded.join(), /^alice: duet choose-data b \(refused\): /);
  // A stale machine, say: the peer serves, and a choice would switch it off for older data.
  const stale = new Office();
  stale.world.peer = { ...stale.world.peer, on: true };
  await assert.rejects(chooseData(stale.desk, "a", never), refused(/nothing to choose between/));
  assert.equal(stale.world.peer.on, true);
  assert.equal(wordIn(stale.saying.memory.read(), ring).choose, undefined);
});

test("what was given up can be chosen when the peer is gone: it is switched off first", async () => {
  const office = new Office({ ...voter, surrendered: 6 });
  office.world.peer = { ...office.world.peer, on: true };
  office.serveWhenWoken();
  const end = await chooseData(office.desk, "a", never);
  assert.equal(end.outcome, "serves");
  assert.equal(end.told, null);
  assert.equal(office.world.peer.on, false);
  assert.deepEqual(wordIn(office.saying.memory.read(), "1.d"), {
    peerDown: false,
    accept: undefined,
    choose: "self",
  });
});
