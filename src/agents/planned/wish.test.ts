import assert from "node:assert/strict";
import { test } from "node:test";
import { empty, type Facts, no_word, type Peer } from "../../decide/facts.ts";
import { heedWish } from "./heed.ts";
import { encodeWish, type Wish, wishIn } from "./wish.ts";

test("a wish is for the membership in which it is said, and for one machine", () => {
  const wish: Wish = { machine: "node2", force: false };
  assert.deepEqual(wishIn(encodeWish(wish, "1.d"), "1.d"), wish);
  assert.deepEqual(wishIn(encodeWish({ ...wish, force: true }, "1.d"), "1.d"), { ...wish, force: true });
  assert.equal(
    wishIn(encodeWish(wish, "1.d"), "1.e"),
    undefined,
    "back from its reboot it is not asked again",
  );
  for (const text of [undefined, "", "1.d", "1.d reboot", "1.d sing node2", "1.d reboot node2 node1"])
    assert.equal(wishIn(text, "1.d"), undefined, text);
});

const voter = {
  ...empty,
  data: true,
  standing: "voter",
  full: true,
  lineage: { epoch: 3, owner: "node1" },
} as const;
const well: Peer = { seen: "now", facts: voter, serving: true, running: true, stuck: false, leaving: false };

async function heeded(peer: Peer, wish: Wish | undefined) {
  const facts: Facts = {
    me: "node2",
    peerName: "node1",
    self: voter,
    peer,
    peerPower: "on",
    proof: "none",
    fencePending: false,
    word: no_word,
    tags: { mine: { kind: "unreadable" }, theirs: { kind: "unreadable" } },
    witness: "on",
    firstStart: false,
    etcd: { running: true, leader: true, failedStarts: 0 },
    started: true,
    stopping: "restart",
  };
  const said: string[] = [];
  let reboots = 0;
  const done = await heedWish(facts, {
    wish: async () => wish,
    reboot: async () => {
      reboots += 1;
    },
    say: (line) => {
      said.push(line);
    },
  });
  assert.equal(done, reboots === 1);
  return { done, said: said.join("\n") };
}

test("it is done only while the peer can serve alone, unless it is forced", async () => {
  const wish: Wish = { machine: "node2", force: false };
  assert.ok((await heeded(well, wish)).done);
  assert.ok(!(await heeded(well, undefined)).done);
  assert.ok(!(await heeded(well, { machine: "node1", force: true })).done, "somebody else is meant");
  for (const peer of [
    { ...well, serving: false },
    { ...well, leaving: true },
    { ...well, facts: undefined },
    { ...well, facts: { ...voter, full: false } },
  ] satisfies readonly Peer[]) {
    const { done, said } = await heeded(peer, wish);
    assert.ok(!done);
    assert.match(said, /could not serve alone now: it is not done/);
    assert.ok((await heeded(peer, { ...wish, force: true })).done);
  }
  assert.ok(!(await heeded({ seen: "before", facts: voter }, { ...wish, force: true })).done);
});
