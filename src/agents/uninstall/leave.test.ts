import assert from "node:assert/strict";
import { test } from "node:test";
import { empty, type Facts, type Holding, no_word, type Peer } from "../../decide/facts.ts";
import { DuetError } from "../../base/problem.ts";
import { isLast, leaveInOrder, mustSeeAlone, peerRefusal, peerUnfit } from "./leave.ts";
import { takeMarkBack, uninstalledIn } from "./mark.ts";

const full: Holding = {
  ...empty,
  data: true,
  standing: "voter",
  full: true,
  lineage: { epoch: 3, owner: "node1" },
};
const facts = (peer: Peer): Facts => ({
  me: "node2",
  peerName: "node1",
  self: full,
  peer,
  peerPower: "on",
  proof: "none",
  fencePending: false,
  word: no_word,
  tags: { mine: { kind: "blank" }, theirs: { kind: "blank" } },
  witness: "on",
  firstStart: false,
  etcd: { running: true, leader: true, failedStarts: 0 },
  started: true,
  stopping: "restart",
});
const here = {
  seen: "now",
  facts: full,
  serving: true,
  running: true,
  stuck: false,
  leaving: false,
} as const;
const unfit = (peer: Peer) => peerUnfit({ facts: async () => facts(peer) });

test("only a peer that is here, full, serving and staying is fit to go on alone", async () => {
  assert.equal(await unfit(here), undefined);
  for (const [peer, why] of [
    [{ seen: "never" }, /is not here/],
    [{ seen: "before", facts: full }, /is not here/],
    [{ ...here, facts: undefined }, /has not told/],
    [{ ...here, leaving: true }, /is leaving/],
    [{ ...here, facts: { ...full, full: false } }, /no full voter/],
    [{ ...here, facts: { ...full, standing: "learner" } }, /no full voter/],
    [{ ...here, serving: false }, /does not serve/],
  ] as const)
    assert.match((await unfit(peer))?.why ?? "", why);
});

test("to force is for a peer that is gone: one that is here would count on this machine for ever", async () => {
  const plan = { machine: "node2", last: false, force: null };
  const forced = { ...plan, force: "node1 burnt down" };
  const gone = await unfit({ seen: "before", facts: full });
  const behind = await unfit({ ...here, facts: { ...full, full: false } });
  assert.equal(peerRefusal(plan, "node1", undefined), undefined);
  assert.match(peerRefusal(plan, "node1", gone)?.fix ?? "", /gone for good: `duet uninstall --force/);
  assert.equal(peerRefusal(forced, "node1", gone), undefined);
  for (const each of [plan, forced]) {
    const problem = peerRefusal(each, "node1", behind);
    assert.equal(problem?.code, "DUET-E-UNINSTALL-PEER");
    assert.match(problem?.fix ?? "", /uninstall node1 first, or shut it down/);
  }
  assert.equal(peerRefusal({ ...plan, last: true }, "node1", behind), undefined);
});

test("a peer that is here is seen as the only member, forced or not", () => {
  const plan = { last: false, force: null };
  assert.equal(mustSeeAlone(plan, true), true);
  assert.equal(
    mustSeeAlone(plan, false),
    true,
    "it was here when it was asked: it is lost, and this machine stays",
  );
  assert.equal(mustSeeAlone({ ...plan, force: "moved" }, true), true);
  assert.equal(mustSeeAlone({ ...plan, force: "moved" }, false), false);
  assert.equal(mustSeeAlone({ ...plan, last: true }, true), false);
});

/** What was done, one after the other; what is named in `fails` does not work. */
async function leaving(fails: readonly string[], last = false, runs = true) {
  const done: string[] = [];
  const does = async (what: string) => {
    done.push(what);
    if (fails.includes(what))
      throw new DuetError([{ code: "DUET-E-PROCESS-FAILED", where: "here", what, fix: "see" }]);
  };
  const end = await leaveInOrder(
    { machine: "node2", last },
    {
      standby: (on) => does(on ? "standby" : "no standby"),
      left: () => does("left"),
      mark: (uninstalled) => does(uninstalled ? "mark" : "no mark"),
      giveUp: () => does("give up"),
      stop: () => does("stop"),
      isRunning: async () => runs,
    },
  ).then(
    () => "done",
    (error: unknown) => (error instanceof DuetError ? (error.problems[0]?.code ?? "") : "thrown"),
  );
  return { done, end };
}

test("a stop that is refused takes the mark back, and the machine takes part again", async () => {
  assert.deepEqual(await leaving([]), { done: ["standby", "left", "mark", "stop"], end: "done" });
  assert.deepEqual(await leaving([], true), { done: ["standby", "left", "stop"], end: "done" });
  const back = { end: "DUET-E-UNINSTALL-LEAVE" };
  assert.deepEqual(await leaving(["standby"]), { done: ["standby", "no standby", "give up"], ...back });
  assert.deepEqual(await leaving(["left"]), { done: ["standby", "left", "no standby", "give up"], ...back });
  assert.deepEqual(await leaving(["stop"]), {
    done: ["standby", "left", "mark", "stop", "no mark", "no standby", "give up"],
    ...back,
  });
  // It may have come through: a mark that is not sure is taken back, too.
  assert.deepEqual(await leaving(["mark"]), {
    done: ["standby", "left", "mark", "no mark", "no standby", "give up"],
    ...back,
  });
  assert.deepEqual(await leaving(["stop", "no mark", "no standby"]), {
    done: ["standby", "left", "mark", "stop", "no mark", "no standby", "give up"],
    ...back,
  });
});

test("one that stops half is left as it is: this goes on when it is run again", async () => {
  assert.deepEqual(await leaving(["stop"], false, false), {
    done: ["standby", "left", "mark", "stop"],
    end: "DUET-E-PROCESS-FAILED",
  });
});

test("a mark of a machine that is here is of an uninstall that was cut off: its peer is not the last", async () => {
  const gone = await unfit({ seen: "before", facts: full });
  const behind = await unfit({ ...here, facts: { ...full, full: false } });
  assert.deepEqual(
    [isLast(gone, true), isLast(gone, false), isLast(behind, true), isLast(undefined, true)],
    [true, false, false, false],
  );
});

test("a machine that takes part takes its own mark back, once, and nobody else's", async () => {
  const written: string[] = [];
  const lasting = (mark: string) =>
    new Map([
      ["node1", new Map([["duet-uninstalled", "2026-11-16T00:00:00.000Z"]])],
      ["node2", new Map([["duet-uninstalled", mark]])],
    ]);
  const back = (mark: string) =>
    takeMarkBack("node2", lasting(mark), async (machine, uninstalled) => {
      written.push(`${machine} ${uninstalled}`);
    });
  assert.deepEqual(uninstalledIn(lasting("no")), ["node1"]);
  assert.equal(await back("no"), false);
  assert.equal(await takeMarkBack("node2", undefined), false);
  assert.equal(await back("2026-11-16T01:00:00.000Z"), true);
  assert.deepEqual(written, ["node2 false"]);
});
