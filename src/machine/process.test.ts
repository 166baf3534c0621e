import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DuetError } from "../base/problem.ts";
import { run } from "./process.ts";

test("a program that outlives being killed holds nobody: its call ends, and says so", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-process-"));
  let pid = 0;
  try {
    const call = run(["sh", "-c", 'echo $$ > "$0/pid"; exec sleep 60', folder], {
      deadline_ms: 500,
      kill: () => {},
    });
    await assert.rejects(
      call,
      (error) => error instanceof DuetError && /within 500 ms, and can't be ended/.test(error.message),
    );
    pid = Number(await readFile(join(folder, "pid"), "utf8"));
    assert.ok(process.kill(pid, 0), "it still runs");
  } finally {
    if (pid > 0) process.kill(pid, "SIGKILL");
    await rm(folder, { recursive: true });
  }
});

test("a program that overruns is ended with all that it started, and its call says why", async () => {
  await assert.rejects(
    run(["sh", "-c", "sleep 60 & wait"], { deadline_ms: 200 }),
    /did not end within 200 ms$/m,
  );
  await assert.rejects(run(["yes"], { output_bytes_max: 1_000 }), /printed more than 1000 bytes/);
});
