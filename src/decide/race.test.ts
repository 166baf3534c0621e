import assert from "node:assert/strict";
import { test } from "node:test";
import { turnFor_ms } from "../base/turn.ts";
import { firstTurn, nextTurn, type Turn, turns, untilTurn_ms } from "./race.ts";

const all: readonly Turn[] = [0, 1, 2];

/** What one machine knows: its own turn, on disk, and the last that it heard of the other's. */
interface Side {
  readonly turn: Turn | undefined;
  readonly heard: Turn | undefined;
}

test("over all histories of moves, late news, changed minds and a lost disk, two machines never hold the same turn", (t) => {
  const seen = new Map<string, readonly [Side, Side]>();
  const queue: (readonly [Side, Side])[] = [];
  const add = (world: readonly [Side, Side]) => {
    const key = JSON.stringify(world);
    if (seen.has(key)) return;
    seen.set(key, world);
    queue.push(world);
  };
  add([
    { turn: firstTurn("a", "b"), heard: undefined },
    { turn: firstTurn("b", "a"), heard: undefined },
  ]);
  for (let world = queue.shift(); world !== undefined; world = queue.shift()) {
    const [a, b] = world;
    assert.ok(a.turn !== b.turn, `both hold ${a.turn}`);
    for (const [self, other, put] of [
      [a, b, (side: Side) => [side, b] as const],
      [b, a, (side: Side) => [a, side] as const],
    ] as const) {
      // The news arrive, or not yet; a reboot forgets them.
      add(put({ ...self, heard: other.turn }));
      add(put({ ...self, heard: undefined }));
      // Its disk is lost: at most one at a time, or nobody knows anything.
      if (other.turn !== undefined) add(put({ turn: undefined, heard: undefined }));
      for (const peerFirst of [true, false]) {
        const next = nextTurn(self.turn, self.heard, peerFirst);
        if (next !== undefined) add(put({ ...self, turn: next }));
      }
    }
  }
  t.diagnostic(`${seen.size} worlds`);
  assert.ok(seen.size > 20);
});

test("a changed preference is followed in three moves, and then there is peace", () => {
  let [a, b]: [Turn, Turn] = [0, 1];
  const moves: string[] = [];
  for (let i = 0; i < 10; i += 1) {
    const moveA = nextTurn(a, b, true);
    const moveB = nextTurn(b, a, false);
    assert.ok(moveA === undefined || moveB === undefined, "both may move");
    a = moveA ?? a;
    b = moveB ?? b;
    if (moveA !== undefined || moveB !== undefined) moves.push(`${a}${b}`);
  }
  assert.deepEqual(moves, ["21", "20", "10"]);
});

test("without news of the peer, or with no wish to change, everybody stays", () => {
  for (const mine of all) {
    assert.equal(nextTurn(mine, undefined, true), undefined);
    assert.equal(nextTurn(undefined, undefined, true), undefined);
  }
  assert.equal(nextTurn(0, 1, false), undefined);
  assert.equal(nextTurn(1, 0, false), undefined);
});

test("in any moment one turn at most is open, each is open once in a round, and between two there is room for a fence", () => {
  for (const fence_ms of [1_000, 5_000, 11_000, 60_000]) {
    const turn_ms = turnFor_ms(fence_ms);
    let last: { turn: Turn; at_ms: number } | undefined;
    for (let at_ms = 0; at_ms < 4 * turns * turn_ms; at_ms += 100) {
      const open = all.filter((turn) => untilTurn_ms(at_ms, turn, turn_ms) === 0);
      assert.ok(open.length <= 1, `${open.join(" and ")} at ${at_ms} ms`);
      for (const turn of all) {
        const wait_ms = untilTurn_ms(at_ms, turn, turn_ms);
        assert.ok(wait_ms >= 0 && wait_ms < turns * turn_ms);
        assert.equal(untilTurn_ms(at_ms + wait_ms, turn, turn_ms), 0);
      }
      const [turn] = open;
      if (turn === undefined) continue;
      if (last !== undefined && last.turn !== turn) assert.ok(at_ms - last.at_ms >= fence_ms);
      last = { turn, at_ms };
    }
    assert.equal(untilTurn_ms(0, 0, turn_ms), 0);
    assert.equal(untilTurn_ms(0, 1, turn_ms), turn_ms);
  }
});
