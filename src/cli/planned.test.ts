import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import * as v from "valibot";
import { run } from "../machine/process.ts";
import { minimal } from "../site/samples.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-planned-cli-"));
after(() => rm(folder, { recursive: true }));
// Addresses that nobody has (RFC 5737).
await writeFile(join(folder, "site.yaml"), minimal);

const duet = (cwd: string, ...args: readonly string[]) =>
  run(
    [
      process.execPath,
      "--disable-warning=ExperimentalWarning",
      join(import.meta.dirname, "main.ts"),
      ...args,
    ],
    { accept: "any", cwd, env: { NO_COLOR: "1" } },
  );

const told = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ problems: v.array(v.object({ code: v.string(), where: v.string(), what: v.string() })) }),
);

test("status 3 where there is neither a machine nor a site file, and 2 for a wrong call", async () => {
  const [nowhere, here, machine, typo, word, duration] = await Promise.all([
    duet("/", "reboot", "node1"),
    duet("/", "maintenance", "on", "--here"),
    duet(folder, "standby", "node9"),
    duet(folder, "reboot", "node1", "--forse"),
    duet(folder, "maintenance", "perhaps"),
    duet(folder, "unstandby", "node1", "--within", "soon"),
  ]);
  assert.match(nowhere.stderr, /no site\.yaml here[^]*\[DUET-E-PLANNED-NOT-HERE\]/);
  assert.deepEqual([nowhere.status, here.status], [3, 3]);
  assert.match(machine.stderr, /no machine node9: there is \S+ and \S+\n/);
  assert.deepEqual([machine.status, typo.status, word.status, duration.status], [2, 2, 2, 2]);
});

test("from elsewhere, with nobody who answers: refused, as data too", async () => {
  const { status, stdout } = await duet(folder, "reboot", "node1", "--json");
  assert.equal(status, 3);
  const [problem] = v.parse(told, stdout).problems;
  assert.equal(problem?.code, "DUET-E-PLANNED-DEGRADED");
  assert.match(problem?.what ?? "", /^it can't be told whether node2 serves/);
});

test("--help has examples and every exit status", async () => {
  for (const command of ["reboot", "standby", "unstandby", "maintenance"]) {
    const { status, stdout } = await duet(folder, command, "--help");
    assert.equal(status, 0);
    assert.match(stdout, new RegExp(`\nExamples:\n  duet ${command} `));
    assert.match(stdout, /\nExit status: 0 .*; 1 .*; 2 .*; 3 /);
  }
});
