import assert from "node:assert/strict";
import { test } from "node:test";
import { DuetError } from "../base/problem.ts";
import { startCompanion } from "./companion.ts";

const echo = `
  process.stdin.setEncoding("utf8").on("data", (text) => {
    for (const line of text.trim().split("\\n")) {
      if (line === "die") process.exit(7);
      if (line !== "hush") process.stdout.write("heard " + line + "\\n");
    }
  });`;
const argv = [process.execPath, "--input-type=commonjs", "--eval", echo] as const;
const code = (wanted: string) => (error: unknown) =>
  error instanceof DuetError && error.problems[0]?.code === wanted;

test("each line gets its answer", async () => {
  const companion = startCompanion(argv, 60_000);
  for (const word of ["one", "two"]) assert.equal(await companion.ask(word), `heard ${word}`);
  companion.end();
});

test("one that ends, that never was, or that says nothing is a problem, and not a wait for ever", async () => {
  const dies = startCompanion(argv, 60_000);
  await assert.rejects(dies.ask("die"), /status 7/);
  await assert.rejects(dies.ask("one"), code("DUET-E-PROCESS-FAILED"));
  const nobody = startCompanion(["/nowhere/at-all"], 60_000);
  await assert.rejects(nobody.ask("one"), code("DUET-E-PROCESS-FAILED"));
  const silent = startCompanion(argv, 50);
  await assert.rejects(silent.ask("hush"), code("DUET-E-PROCESS-DEADLINE"));
  silent.end();
});
