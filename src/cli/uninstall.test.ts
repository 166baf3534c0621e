import assert from "node:assert/strict";
import { test } from "node:test";
import { Command } from "commander";
import { planUninstall } from "../agents/uninstall.ts";
import { DuetError, exit } from "../base/problem.ts";
import { register } from "./uninstall.ts";

test("where duet is not there is nothing to take off: status 3", async () => {
  await assert.rejects(
    planUninstall({}),
    (error) =>
      error instanceof DuetError &&
      error.status === exit.notHere &&
      error.problems[0]?.code === "DUET-E-UNINSTALL-NOT-HERE",
  );
});

test("it is listed among the commands", () => {
  const program = new Command("duet");
  register(program);
  assert.match(program.helpInformation(), /^ {2}uninstall \[options\] /m);
});
