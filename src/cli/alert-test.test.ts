import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { run } from "../machine/process.ts";
import { minimal } from "../site/samples.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-alert-test-"));
after(() => rm(folder, { recursive: true }));

const duet = (...args: readonly string[]) =>
  run(
    [
      process.execPath,
      "--disable-warning=ExperimentalWarning",
      join(import.meta.dirname, "main.ts"),
      ...args,
    ],
    { accept: "any", cwd: folder, env: { NO_COLOR: "1", PATH: `${folder}:${process.env["PATH"] ?? ""}` } },
  );

test("status 3 where there is nothing to test, 2 for a wrong file", async () => {
  await writeFile(join(folder, "quiet.yaml"), minimal);
  const [nowhere, quiet, missing, help] = await Promise.all([
    duet("alert-test"),
    duet("alert-test", "quiet.yaml"),
    duet("alert-test", "missing.yaml"),
    duet("alert-test", "--help"),
  ]);
  assert.deepEqual([nowhere.status, quiet.status, missing.status, help.status], [3, 3, 2, 0]);
  assert.match(quiet.stderr, /tells nobody[^]*\[DUET-E-ALERT-NONE\]/);
  assert.match(help.stdout, /Examples:[^]*Exit status:/);
});

test("from elsewhere each machine is asked; one that can't be is a failure", async () => {
  // Addresses that nobody has (RFC 5737).
  await writeFile(join(folder, "site.yaml"), `${minimal}alerts: [{ syslog: {} }]\n`);
  const asked = await duet("alert-test");
  assert.equal(asked.status, 1);
  for (const name of ["node1", "node2"])
    assert.match(asked.stdout, new RegExp(`^✗ ${name}: ssh: (no ssh on|ssh )`, "m"));
});
