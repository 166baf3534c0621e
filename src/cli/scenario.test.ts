import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { scratchFolder } from "../facts/testing-folder.ts";
import { run } from "../machine/process.ts";

const main = join(import.meta.dirname, "main.ts");
const scenarios = join(import.meta.dirname, "..", "..", "scenarios");
const duet = (...args: string[]) => run([process.execPath, main, "scenario", ...args], { accept: "any" });

test("format writes the canonical form once; --check only looks", async () => {
  await using scratch = await scratchFolder();
  const file = join(scratch.path, "story.txt");
  await writeFile(file, "# A\nstart  both machines\n");
  const checked = await duet("format", "--check", file);
  assert.equal(checked.status, 1);
  assert.match(checked.stderr, /story\.txt:2:1: .*\n.*\[DUET-E-SCENARIO-FORMAT\]/);
  assert.equal((await duet("format", file)).status, 0);
  assert.equal(await readFile(file, "utf8"), "# A\nstart both machines\n");
  assert.equal((await duet("format", "--check", file)).status, 0);
});

test("a wrong file is status 2 with every problem, and is not touched", async () => {
  await using scratch = await scratchFolder();
  const file = join(scratch.path, "story.txt");
  const text = "start  both machines\ncut the pwer of node1\nbanana\n";
  await writeFile(file, text);
  for (const args of [
    ["format", file],
    ["run", file, "--in", "lab"],
  ]) {
    const { status, stderr } = await duet(...args);
    assert.equal(status, 2);
    assert.match(
      stderr,
      /story\.txt:2:9: .*\n +did you mean `cut the power of node1`\? .*\n.*story\.txt:3:1: /,
    );
  }
  assert.equal(await readFile(file, "utf8"), text);
  assert.equal((await duet("run", join(scratch.path, "none.txt"), "--in", "sim")).status, 2);
  assert.equal((await duet("run", file)).status, 2);
});

test("a world that can't do it yet says so before anything is started, status 3", async () => {
  await using scratch = await scratchFolder();
  const file = join(scratch.path, "story.txt");
  const moments = [
    "at the tag write: cut the power of node1",
    "at the promote entry: fill the disk of node1",
  ];
  const steps = `start both machines\n${moments.join("\n")}\n`;
  await writeFile(file, `# A moment that real machines do not wait for\n\nworlds: sim, lab\n\n${steps}`);
  const lab = await duet("run", file, "--in", "lab");
  assert.equal(lab.status, 3, lab.stderr);
  assert.match(lab.stderr, /story\.txt:6:1: not yet in the lab: .*`at the tag write/);
  assert.match(lab.stderr, /not yet in the lab: in a moment only power, .*`at the promote entry/);
  const asData = await duet("run", file, "--in", "lab", "--json");
  assert.equal(asData.status, 3);
  assert.match(asData.stdout, /DUET-E-SCENARIO-NOT-YET/);
  const wrongWorld = await duet("run", join(scenarios, "takeover-cut-at-tag.txt"), "--in", "lab");
  assert.equal(wrongWorld.status, 3);
  assert.match(wrongWorld.stderr, /DUET-E-SCENARIO-WORLD/);
  const onlyLab = await duet("run", join(scenarios, "links-pulled.txt"), "--in", "sim");
  assert.equal(onlyLab.status, 3);
  assert.match(onlyLab.stderr, /DUET-E-SCENARIO-WORLD/);
});

test("the simulator tells a story step by step, the same each time, and as data", async () => {
  const story = join(scenarios, "node-failure.txt");
  const once = await duet("run", story, "--in", "sim");
  assert.equal(once.status, 0, once.stderr);
  assert.match(once.stdout, /break the leader \(node[12]\)\n/);
  assert.match(once.stdout, /expect nothing lost: \d+ writes acknowledged, and all can be read\n/);
  assert.match(once.stdout, /^Node failure: every step went as told \(virtual time\)$/m);
  assert.equal((await duet("run", story, "--in", "sim")).stdout, once.stdout);
  const other = await duet("run", story, "--in", "sim", "--seed", "7", "--json");
  assert.equal(other.status, 0);
  const told: unknown = JSON.parse(other.stdout);
  assert.ok(typeof told === "object" && told !== null && "ok" in told && told.ok === true);
  assert.equal((await duet("run", story, "--in", "sim", "--seed", "x")).status, 2);
});

test("a story that ends otherwise is status 1, with its line and what was seen", async () => {
  await using scratch = await scratchFolder();
  const file = join(scratch.path, "story.txt");
  await writeFile(file, "# A\nstart both machines\nuntil 1+1\nexpect 1+0\n");
  const { status, stderr } = await duet("run", file, "--in", "sim");
  assert.equal(status, 1);
  assert.match(stderr, /story\.txt:4:1: `expect 1\+0` failed: /);
});

test("words prints the language, as text and as data", async () => {
  assert.match((await duet("words")).stdout, /^What is done\n {2}start both machines\n/m);
  const words: unknown = JSON.parse((await duet("words", "--json")).stdout);
  assert.ok(Array.isArray(words) && words.length > 80);
});
