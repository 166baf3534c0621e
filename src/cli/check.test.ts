import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Command } from "commander";
import { DuetError, exit } from "../base/problem.ts";
import { minimal } from "../site/samples.ts";
import { register } from "./check.ts";
import { checkCommand } from "./check-command.ts";
import { register as registerProbe } from "./probe.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-check-cli-"));
after(() => rm(folder, { recursive: true }));
const file = join(folder, "site.yaml");

test("offline, a right file is status 0 and a wrong one status 2", async () => {
  await writeFile(file, minimal);
  assert.equal(await checkCommand(file, { offline: true }), exit.ok);
  await writeFile(file, minimal.replace("dual-replica", "pair"));
  assert.equal(await checkCommand(file, { offline: true }), exit.ok);
  await writeFile(file, minimal.replace("topology", "topolgy"));
  await assert.rejects(
    checkCommand(file, { offline: true }),
    (error) => error instanceof DuetError && error.status === exit.badInput,
  );
});

test("check is listed with its examples, probe is not listed", () => {
  const program = new Command("duet");
  register(program);
  registerProbe(program);
  const help = program.helpInformation();
  assert.match(help, /check .*site file/);
  assert.doesNotMatch(help, /probe/);
});
