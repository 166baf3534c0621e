import assert from "node:assert/strict";
import { test } from "node:test";
import { failed } from "../../act/effects.ts";
import { DuetError } from "../../base/problem.ts";
import { wordIn } from "../hands/memory.ts";
import { confirmPeerDown } from "./confirm.ts";
import { Office, voter } from "./testing.ts";

const code = (wanted: string) => (error: unknown) =>
  error instanceof DuetError && error.problems[0]?.code === wanted;

const said = ({ saying }: Office) => wordIn(saying.memory.read(), "1.d");

test("where no BMC answers the word is taken, kept for this membership, and recorded with what was shown", async () => {
  const office = new Office();
  office.world.dead.add("theirs");
  office.serveWhenWoken();
  const end = await confirmPeerDown(office.desk, "unknown");
  assert.equal(end.outcome, "serves");
  assert.equal(end.by, "the admin's word");
  assert.equal(office.recorded.length, 1);
  assert.deepEqual(said(office), { peerDown: true, accept: "unknown", choose: undefined });
  assert.deepEqual(office.notes, ["look", "wake"]);
  assert.match(
    office.recorded[0] ?? "",
    /^alice: duet confirm-peer-down --accept-data-loss unknown: power of b: nobody can read it.*tag of b: can't be read.*data of b: not heard since a booted/,
  );
  office.corosync.join("1.11");
  assert.equal(wordIn(office.saying.memory.read(), "1.11").peerDown, false, "for one membership");
});

test("where the BMC answers the peer is switched off, and Off is proven", async () => {
  const office = new Office();
  office.world.peer = { ...office.world.peer, on: true };
  office.serveWhenWoken();
  const end = await confirmPeerDown(office.desk, undefined);
  assert.equal(end.by, "Off is proven");
  assert.equal(office.world.peer.on, false);
  assert.equal(office.world.boot.proven, true);
});

test("a BMC that goes on saying On is not overruled by a word", async () => {
  const office = new Office();
  office.world.peer = { ...office.world.peer, on: true };
  const { desk } = office;
  const { effects } = desk.hands;
  const deaf = { ...effects, bmc: { ...effects.bmc, commandOff: async () => failed("refused", "no") } };
  const unfenced: string[] = [];
  const hands = { ...desk.hands, effects: deaf, fenceFailed: (why: string) => void unfenced.push(why) };
  await assert.rejects(confirmPeerDown({ ...desk, hands }, undefined), code("DUET-E-CONFIRM-STILL-ON"));
  assert.equal(said(office).peerDown, false);
  assert.deepEqual(unfenced, ["the fence: no"], "people are told, as of any fence that failed");
  assert.match(
    office.recorded[0] ?? "",
    /^alice: duet confirm-peer-down: power of b: On/,
    "before it is done",
  );
  assert.match(
    office.recorded[1] ?? "",
    /^alice: duet confirm-peer-down \(not done, DUET-E-CONFIRM-STILL-ON, b: its BMC answers and says On/,
  );
});

test("a stale machine refuses unless the epoch is named, and another epoch is not it", async () => {
  const office = new Office();
  office.world.tags = { mine: { epoch: 7, owner: "b" }, theirs: { epoch: 7, owner: "b" } };
  for (const accept of [undefined, 6, 8] as const)
    await assert.rejects(confirmPeerDown(office.desk, accept), (error) => {
      assert.ok(code("DUET-E-CONFIRM-REFUSED")(error) && error instanceof DuetError);
      assert.match(error.problems[0]?.fix ?? "", /--accept-data-loss 7/);
      return true;
    });
  assert.deepEqual(office.asked, [], "nobody is asked for what is refused anyway");
  assert.equal(office.shows, 3, "and each time it is shown what is known");
  assert.match(office.recorded[0] ?? "", /\(refused, DUET-E-CONFIRM-REFUSED, a: R-NEWER-TAG: /);
  assert.equal(said(office).peerDown, false);
  office.serveWhenWoken();
  assert.equal((await confirmPeerDown(office.desk, 7)).accepted, 7);
  assert.match(
    office.recorded.at(-1) ?? "",
    /may be lost: everything that was acknowledged after epoch 5 of a up to epoch 7/,
  );
});

test("a tag that can't be read needs `unknown`, whatever epoch is named", async () => {
  const office = new Office();
  office.world.dead.add("theirs");
  for (const accept of [undefined, 5] as const)
    await assert.rejects(confirmPeerDown(office.desk, accept), (error) => {
      assert.ok(error instanceof DuetError);
      assert.match(error.problems[0]?.fix ?? "", /--accept-data-loss unknown/);
      return true;
    });
});

test("where one tag names a newer epoch and the other can't be read, both are said, and the refusal tells how", async () => {
  const office = new Office();
  office.world.tags = { mine: { epoch: 7, owner: "b" }, theirs: { epoch: 7, owner: "b" } };
  office.world.dead.add("theirs");
  for (const accept of [undefined, 7, "unknown", "6,unknown"] as const)
    await assert.rejects(confirmPeerDown(office.desk, accept), (error) => {
      assert.ok(error instanceof DuetError);
      assert.match(error.problems[0]?.what ?? "", /`duet confirm-peer-down --accept-data-loss 7,unknown`/);
      assert.match(error.problems[0]?.fix ?? "", /`duet confirm-peer-down --accept-data-loss 7,unknown`/);
      return true;
    });
  office.serveWhenWoken();
  assert.equal((await confirmPeerDown(office.desk, "7,unknown")).accepted, "7,unknown");
  assert.equal(said(office).accept, "7,unknown", "and it is kept for the agent");
});

test("a survivor that heard its peer in this boot takes no plain word beside a silent BMC: the peer may have been told the same", async () => {
  const office = new Office();
  office.changes = { peer: { seen: "before", facts: voter } };
  office.world.dead.add("theirs");
  await assert.rejects(confirmPeerDown(office.desk, undefined), (error) => {
    assert.ok(error instanceof DuetError);
    assert.match(error.problems[0]?.what ?? "", /^R-WORD-ALONE: /);
    assert.match(error.problems[0]?.fix ?? "", /--accept-data-loss unknown/);
    return true;
  });
  office.world.dead.clear();
  office.world.peer = { ...office.world.peer, on: true };
  office.serveWhenWoken();
  assert.equal((await confirmPeerDown(office.desk, undefined)).by, "Off is proven");
});

test("no word makes data serve that is not whole", async () => {
  const office = new Office({ ...voter, full: false });
  await assert.rejects(confirmPeerDown(office.desk, "unknown"), (error) => {
    assert.ok(error instanceof DuetError);
    assert.match(error.problems[0]?.what ?? "", /^R-NOT-FULL: /);
    return true;
  });
});

test("who does not agree has said nothing, a peer that is here is not down, and both are recorded as that", async () => {
  const office = new Office();
  office.agrees = false;
  await assert.rejects(confirmPeerDown(office.desk, undefined), code("DUET-E-ADMIN-NO"));
  assert.equal(office.recorded.length, 1);
  assert.match(
    office.recorded[0] ?? "",
    /^alice: duet confirm-peer-down \(not confirmed\): power of b: Off.*may be lost: nothing that was acknowledged/,
  );
  office.world.peer = { ...office.world.peer, member: true };
  await assert.rejects(confirmPeerDown(office.desk, undefined), code("DUET-E-CONFIRM-PEER-HERE"));
  await assert.rejects(confirmPeerDown(office.desk, 7), code("DUET-E-CONFIRM-PEER-HERE"));
  assert.equal(office.recorded.length, 3);
  assert.match(
    office.recorded[1] ?? "",
    /^alice: duet confirm-peer-down \(refused, DUET-E-CONFIRM-PEER-HERE, b: it is here.*\): .*may be lost: nothing: b is here/,
  );
  assert.match(
    office.recorded[2] ?? "",
    /confirm-peer-down --accept-data-loss 7 \(refused, DUET-E-CONFIRM-PEER-HERE, /,
  );
  assert.deepEqual(office.notes, [], "nobody was woken for it");
  assert.equal(said(office).peerDown, false);
});

test("a membership that changes while it is asked makes the word void", async () => {
  const office = new Office();
  office.world.dead.add("theirs");
  const { desk } = office;
  const agreed = async () => {
    office.corosync.lose("1.15");
    return true;
  };
  await assert.rejects(confirmPeerDown({ ...desk, agreed }, "unknown"), code("DUET-E-ADMIN-CHANGED"));
  assert.equal(wordIn(office.saying.memory.read(), "1.15").peerDown, false);
  assert.match(office.recorded.at(-1) ?? "", /\(not done, DUET-E-ADMIN-CHANGED, /);
});

test("what does not come to its end in time is told as that, and the word stays", async () => {
  const office = new Office();
  office.world.dead.add("theirs");
  await assert.rejects(confirmPeerDown(office.desk, "unknown"), code("DUET-E-ADMIN-NOT-YET"));
  assert.equal(said(office).peerDown, true);
  assert.match(office.recorded.at(-1) ?? "", /\(not done, DUET-E-ADMIN-NOT-YET, /);
});

test("who serves alone already has nothing to be told", async () => {
  const office = new Office({ ...voter, soleVoter: true });
  office.world.etcd = { ...office.world.etcd, running: true };
  assert.equal((await confirmPeerDown(office.desk, undefined)).outcome, "serves already");
  assert.equal(said(office).peerDown, false);
  assert.equal(office.shows, 1);
  assert.equal(office.recorded.length, 1, "that somebody asked is kept");
  assert.match(
    office.recorded[0] ?? "",
    /^alice: duet confirm-peer-down \(serves already\): .*may be lost: nothing: a serves already/,
  );
});

test("where Pacemaker starts nothing nobody is switched off for a machine that would not serve", async () => {
  const rests = [
    [{ stopping: "standby" }, false, /on standby/, /^first `duet unstandby a`,/],
    [{ stopping: "restart" }, true, /in maintenance/, /^first `duet maintenance off`,/],
    [{ stopping: "standby" }, true, /in maintenance and on standby/, /off`, then `duet unstandby a`,/],
  ] as const;
  for (const [changes, maintained, what, fix] of rests) {
    const office = new Office();
    office.world.peer = { ...office.world.peer, on: true };
    office.changes = { ...changes, started: false };
    office.maintained = maintained;
    await assert.rejects(confirmPeerDown(office.desk, undefined), (error) => {
      assert.ok(code("DUET-E-ADMIN-AT-REST")(error) && error instanceof DuetError);
      assert.match(error.problems[0]?.what ?? "", what);
      assert.match(error.problems[0]?.fix ?? "", fix);
      return true;
    });
    assert.equal(office.world.peer.on, true, "it is not fenced");
    assert.deepEqual([office.asked, said(office).peerDown], [[], false]);
    assert.match(office.recorded[0] ?? "", /\(refused, DUET-E-ADMIN-AT-REST, /);
  }
});

test("what was started before goes on, also in maintenance, and a Pacemaker that is silent holds up nobody", async () => {
  for (const changes of [
    { started: true, stopping: "restart" },
    { started: false, stopping: "unknown" },
  ] as const) {
    const office = new Office();
    office.changes = changes;
    office.maintained = changes.started;
    office.world.peer = { ...office.world.peer, on: true };
    office.serveWhenWoken();
    assert.equal((await confirmPeerDown(office.desk, undefined)).outcome, "serves");
  }
});
