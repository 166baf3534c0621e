import assert from "node:assert/strict";
import { test } from "node:test";
import { Sessions } from "./session.ts";

function clocked(limit = 3) {
  const clock = { now_ms: 0 };
  const sessions = new Sessions({ limit, now_ms: () => clock.now_ms, timeout_ms: () => 1_000 });
  return { clock, sessions };
}

test("a session lives while it is used and ends when it is not", () => {
  const { clock, sessions } = clocked();
  const session = sessions.open("1", "admin");
  assert.ok(session);
  for (let i = 0; i < 3; i += 1) {
    clock.now_ms += 999;
    assert.equal(sessions.use(session.token)?.id, session.id);
  }
  clock.now_ms += 1_000;
  assert.equal(sessions.use(session.token), undefined);
  assert.deepEqual(sessions.all(), []);
});

test("there are no more than the limit, and an end or an expiry makes room", () => {
  const { clock, sessions } = clocked(2);
  const first = sessions.open("1", "admin");
  clock.now_ms += 500;
  const second = sessions.open("1", "admin");
  assert.ok(first && second);
  assert.equal(sessions.open("1", "admin"), undefined);
  sessions.close(second.id);
  assert.ok(sessions.open("1", "admin"));
  clock.now_ms += 600;
  assert.equal(sessions.find(first.id), undefined);
  assert.ok(sessions.open("1", "admin"));
});

test("ids and tokens are never used twice", () => {
  const { sessions } = clocked(100);
  const all = Array.from({ length: 50 }, () => sessions.open("1", "admin"));
  assert.equal(new Set(all.map((session) => session?.token)).size, 50);
  assert.equal(new Set(all.map((session) => session?.id)).size, 50);
});
