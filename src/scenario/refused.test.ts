import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeRefused } from "./refused.ts";

const code = "DUET-E-CONFIRM-REFUSED";

test("an admin was refused if every command that was typed ended with that code", () => {
  assert.equal(judgeRefused(code, [code]).ok, true);
  assert.equal(judgeRefused(code, [code, code]).ok, true);
  assert.deepEqual(judgeRefused(code, [undefined]), { ok: false, seen: "it was not refused" });
  assert.deepEqual(judgeRefused(code, [code, "DUET-E-ADMIN-NOT-YET"]), {
    ok: false,
    seen: `it ended with ${code} and it ended with DUET-E-ADMIN-NOT-YET`,
  });
  assert.deepEqual(judgeRefused(code, []), { ok: false, seen: "no admin has typed anything" });
});
