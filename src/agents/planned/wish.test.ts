import assert from "node:assert/strict";
import { test } from "node:test";
import { empty, type Facts, no_word, type Peer } from "../../decide/facts.ts";
import { DuetError } from "../../base/problem.ts";
import { heedWish } from "./heed.ts";
import { Asking, encodeWish, type Said, type Wish, wishIn } from "./wish.ts";

test("a wish is for the membership in which it is said, and for one machine", () => {
  const wish: Said = { machine: "node2", force: false, count: 7 };
  assert.deepEqual(wishIn(encodeWish(wish, "1.d"), "1.d"), wish);
  assert.deepEqual(wishIn(encodeWish({ ...wish, force: true }, "1.d"), "1.d"), { ...wish, force: true });
  assert.equal(
    wishIn(encodeWish(wish, "1.d"), "1.e"),
    undefined,
    "back from its reboot it is not asked again",
  );
  for (const text of [
    undefined,
    "",
    "1.d",
    "1.d reboot",
    "1.d reboot node2",
    "1.d reboot node2 x",
    "1.d sing node2 1",
    "1.d reboot node2 1 node1",
  ])
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

/** What is read one time after the other, and then the last for ever; `left` is what stays from one look to the next. */
class Look {
  readonly said: string[] = [];
  pauses = 0;
  passes = 0;
  taken = false;
  #left: string | undefined;

  async heeds(peer: Peer, ...reads: readonly (Said | undefined)[]): Promise<boolean> {
    let at = 0;
    let reboots = 0;
    const done = await heedWish(factsWith(peer), {
      wish: async () => reads[Math.min(at++, reads.length - 1)],
      pause: async () => {
        this.pauses += 1;
      },
      left: {
        read: async () => this.#left,
        note: async (text) => {
          this.#left = text;
        },
      },
      pass: async () => {
        if (this.taken)
          throw new DuetError([{ code: "DUET-E-X", where: "node1", what: "another goes", fix: "wait" }]);
        this.passes += 1;
      },
      reboot: async () => {
        assert.equal(this.passes, 1, "with the pass in hand");
        reboots += 1;
      },
      say: (line) => {
        this.said.push(line);
      },
    });
    assert.equal(done, reboots === 1);
    return done;
  }
}

const factsWith = (peer: Peer): Facts => ({
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
});

/** By somebody who is there, and says it again. */
async function heeded(peer: Peer, wish: Wish | undefined) {
  const look = new Look();
  const [first, again] = [1, 2].map((count) => (wish === undefined ? undefined : { ...wish, count }));
  const done = await look.heeds(peer, first, again);
  return { done, said: look.said.join("\n") };
}

test("what nobody repeats is not done, however long it stands there; who asks anew is heard", async () => {
  const look = new Look();
  const left: Said = { machine: "node2", force: true, count: 4 };
  assert.equal(await look.heeds(well, left), false);
  assert.match(look.said.join("\n"), /by a command that is gone: it is not done$/);
  const { pauses } = look;
  assert.ok(pauses > 0);
  // Days later, at any of its looks: not waited for, and not told again.
  for (let later = 0; later < 5; later++) assert.equal(await look.heeds(well, left), false);
  assert.deepEqual([look.pauses, look.said.length], [pauses, 1]);
  assert.equal(await look.heeds(well, { ...left, count: 5 }, undefined), false, "taken back meanwhile");
  const unfit = { ...well, serving: false };
  assert.equal(
    await look.heeds(unfit, { ...left, count: 5 }, { ...left, force: false, count: 0 }),
    false,
    "what was said last counts, and not what it was before",
  );
  look.taken = true;
  assert.equal(await look.heeds(well, { ...left, count: 5 }, { ...left, count: 6 }), false);
  assert.match(look.said.at(-1) ?? "", /and is not done: .*another goes/);
  look.taken = false;
  assert.ok(await look.heeds(well, { ...left, count: 5 }, { ...left, count: 6 }));
});

test("who asks says it with the next number each second, until he gives up", async () => {
  const told: string[] = [];
  let [clock_ms, fails] = [0, false];
  const asking = new Asking(
    async (said, ring) => {
      if (fails) throw new DuetError([]);
      told.push(encodeWish(said, ring));
    },
    () => clock_ms,
  );
  await asking.goOn();
  await asking.begin({ machine: "node2", force: false }, "1.d");
  for (const at_ms of [10, 1_000, 1_500]) {
    clock_ms = at_ms;
    await asking.goOn();
  }
  fails = true;
  clock_ms = 2_000;
  await asking.goOn();
  fails = false;
  await asking.goOn();
  asking.end();
  clock_ms = 9_000;
  await asking.goOn();
  assert.deepEqual(told, ["1.d reboot node2 0", "1.d reboot node2 1", "1.d reboot node2 2"]);
});

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
