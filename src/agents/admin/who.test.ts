import assert from "node:assert/strict";
import { test } from "node:test";
import { whoSpeaks } from "./who.ts";

test("who speaks is told by what the login left behind", () => {
  const seat = { env: {}, login_uid: undefined, uid: 0, terminal: false };
  assert.equal(whoSpeaks(seat), "uid 0 (by a script)");
  const env = { SUDO_USER: "alice", LOGNAME: "root", SSH_CONNECTION: "192.0.2.7 50000 192.0.2.1 22" };
  assert.equal(
    whoSpeaks({ ...seat, env, login_uid: 1000, terminal: true }),
    "alice (by sudo, logged in as uid 1000, from 192.0.2.7, at a terminal)",
  );
  assert.equal(whoSpeaks({ ...seat, env: { LOGNAME: "ro\u001b[1mot" } }), "ro?[1mot (by a script)");
});
