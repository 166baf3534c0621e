import assert from "node:assert/strict";
import { test } from "node:test";
import { readFile } from "node:fs/promises";
import { run } from "../../machine/process.ts";
import { attempt } from "./attempt.ts";
import { known } from "./report.ts";

test("a source that hangs, fails or is not there is a reason; a bug stays a bug", async () => {
  assert.deepEqual(await attempt("x", () => Promise.resolve(known(1))), { known: true, value: 1 });
  const hangs = await attempt("etcd here", () => new Promise(() => undefined), 20);
  assert.deepEqual(hangs, { known: false, why: "etcd here did not answer within 20 ms" });
  const slow = await attempt("Pacemaker", async () => known(await run(["sleep", "5"], { deadline_ms: 20 })));
  assert.deepEqual(slow, { known: false, why: "Pacemaker did not answer in time" });
  const missing = await attempt("the record", async () => known(await readFile("/dev/null/x", "utf8")));
  assert.match(missing.known ? "" : missing.why, /^the record: ENOTDIR/);
  await assert.rejects(
    attempt("x", () => Promise.reject(new Error("bug"))),
    /bug/,
  );
});
