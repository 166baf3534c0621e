import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "../../decide/decide.ts";
import { empty, type Facts, no_word, type Tag } from "../../decide/facts.ts";
import { sayWhyInert } from "./say.ts";

const tag = (epoch: number): Tag => ({ kind: "lineage", epoch, owner: "node1" });

const stale: Facts = {
  me: "node2",
  peerName: "node1",
  self: { ...empty, data: true, standing: "voter", full: true, lineage: { epoch: 1, owner: "node1" } },
  peer: { seen: "never" },
  peerPower: "on",
  proof: "none",
  fencePending: true,
  word: no_word,
  tags: { mine: tag(2), theirs: tag(2) },
  witness: "on",
  firstStart: false,
  etcd: { running: false, leader: false, failedStarts: 0 },
  started: false,
  stopping: "restart",
};

/** One look at each of these, then Pacemaker has started the resource. */
async function saidOf(looks: readonly Facts[]): Promise<readonly string[]> {
  const said: string[] = [];
  let look = -1;
  await sayWhyInert({
    effects: { facts: async () => looks[look] ?? stale, decide },
    isStarted: () => look >= looks.length,
    say: (line) => {
      said.push(line);
    },
    pause: async () => {
      look += 1;
    },
  });
  return said;
}

test("a machine with older data says why it runs nothing, and says it once", async () => {
  const said = await saidOf([stale, stale, stale]);
  assert.equal(said.length, 1);
  assert.match(
    said[0] ?? "",
    /^node2 runs nothing and waits for node1\. R-NEWER-TAG: .*never starts with older data/,
  );
});

test("another reason is said anew", async () => {
  const said = await saidOf([
    stale,
    { ...stale, tags: { mine: { kind: "unreadable" }, theirs: { kind: "unreadable" } } },
    stale,
  ]);
  assert.equal(said.length, 3);
  assert.match(said[1] ?? "", /R-TAGS-UNREAD/);
});

test("one that might start alone says that this duet does not do that", async () => {
  const said = await saidOf([{ ...stale, peerPower: "off", tags: { mine: tag(1), theirs: tag(1) } }]);
  assert.deepEqual(said, [
    "node2 runs nothing and waits for node1: to start alone is not done by this version of duet",
  ]);
});

test("who is with its peer, or started, has nothing to say", async () => {
  const here: Facts = {
    ...stale,
    peer: { seen: "now", facts: undefined, serving: true, running: true, stuck: false, leaving: false },
    fencePending: false,
  };
  assert.deepEqual(await saidOf([here, here]), []);
  assert.deepEqual(await saidOf([]), []);
});
