import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { paths } from "../base/paths.ts";
import { readIfThere } from "../machine/files.ts";
import { run } from "../machine/process.ts";

const main = join(import.meta.dirname, "main.ts");
const duet = (...args: readonly string[]) =>
  run([process.execPath, "--disable-warning=ExperimentalWarning", main, ...args], {
    accept: "any",
    env: { NO_COLOR: "1" },
  });

test("elsewhere it is refused with status 3, as data too, and leaves no trace", async () => {
  const before = await readIfThere(paths.setupFailed);
  const [text, data] = await Promise.all([duet("setup"), duet("setup", "--json")]);
  assert.deepEqual([text.status, data.status], [3, 3]);
  assert.match(text.stderr, /was not made by `duet render`[^]*\[DUET-E-SETUP-NOT-RENDERED\]/);
  assert.match(data.stdout, /"code": "DUET-E-SETUP-NOT-RENDERED"/);
  assert.equal(await readIfThere(paths.setupFailed), before);
});

test("--help has examples and every exit status; a wrong flag is 2", async () => {
  const { status, stdout } = await duet("setup", "--help");
  assert.equal(status, 0);
  assert.match(stdout, /\nExamples:\n {2}ssh node1 duet setup /);
  assert.match(stdout, /\nExit status: 0 .*; 1 .*; 2 [^]*; 3 /);
  assert.equal((await duet("setup", "--jsn")).status, 2);
});
