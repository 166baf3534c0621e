import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import * as v from "valibot";
import { scratchFolder } from "../facts/testing-folder.ts";
import { run } from "../machine/process.ts";

const main = join(import.meta.dirname, "main.ts");
const quiet = "--disable-warning=ExperimentalWarning";
const sim = (...args: readonly string[]) =>
  run([process.execPath, quiet, main, "sim", ...args], { accept: "any", deadline_ms: 120_000 });

const told = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ problems: v.array(v.object({ code: v.string(), where: v.string() })) }),
);
const printed = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    found: v.object({ seed: v.number(), check: v.string(), choices: v.array(v.unknown()) }),
  }),
);

test("a wrong call is status 2 with everything that is wrong, and nothing is written", async () => {
  await using scratch = await scratchFolder();
  const page = join(scratch.path, "none", "page.html");
  const wrong = ["--plant", "notify-as-proof", "--seed", "-1", "--schedules", "0", "--minutes", "1.5"];
  const { status, stdout } = await sim("run", ...wrong, "--html", page, "--json");
  assert.equal(status, 2);
  assert.deepEqual(
    v.parse(told, stdout).problems.map(({ code, where }) => [code, where]),
    [
      ["DUET-E-PLANT-UNKNOWN", "notify-as-proof"],
      ["DUET-E-SIM-NUMBER", "--seed"],
      ["DUET-E-SIM-NUMBER", "--minutes"],
      ["DUET-E-SIM-NUMBER", "--schedules"],
      ["DUET-E-SIM-PAGE", page],
    ],
  );
  assert.deepEqual(await readdir(scratch.path), []);
});

test("so is a replay of nothing, of no number, of a file without a schedule, of another seed", async () => {
  await using scratch = await scratchFolder();
  const file = join(scratch.path, "found.json");
  await writeFile(file, JSON.stringify({ seed: 4, choices: [] }));
  const codes = async (...args: readonly string[]) => {
    const { status, stdout } = await sim("replay", ...args, "--json");
    assert.equal(status, 2, args.join(" "));
    return v.parse(told, stdout).problems.map(({ code }) => code);
  };
  assert.deepEqual(await codes(), ["DUET-E-USAGE"]);
  assert.deepEqual(await codes("9".repeat(30)), ["DUET-E-SIM-NUMBER"]);
  assert.deepEqual(await codes("12x", "--html", scratch.path), ["DUET-E-SIM-NUMBER", "DUET-E-SIM-PAGE"]);
  assert.deepEqual(await codes("--choices", main), ["DUET-E-SIM-CHOICES"]);
  assert.deepEqual(await codes("--choices", join(scratch.path, "none.json")), ["DUET-E-SIM-CHOICES"]);
  assert.deepEqual(await codes("5", "--choices", file), ["DUET-E-SIM-CHOICES"]);
  assert.deepEqual(await codes("--seeds", "5"), ["DUET-E-USAGE"]);
});

test("a replay prints the same bytes each time, in each process", async () => {
  const [one, other] = await Promise.all([sim("replay", "1022"), sim("replay", "1022")]);
  assert.equal(one.stdout, other.stdout);
  assert.match(
    one.stdout,
    /What is done to the two machines:\n[^]*What comes of it[^]*\nagain: +duet sim replay 1022\n/,
  );
  const [full, again] = await Promise.all([sim("replay", "1022", "--full"), sim("replay", "1022", "--full")]);
  assert.equal(full.stdout, again.stdout);
  assert.ok(full.stdout.split("\n").length > one.stdout.split("\n").length);
});

test("what is found is status 1, told, drawn, kept, and repeated from what was kept", async () => {
  await using scratch = await scratchFolder();
  const page = join(scratch.path, "story.html");
  const file = join(scratch.path, "found.json");
  const found = await sim("run", "--plant", "equal-delays", "--html", page, "--json");
  assert.equal(found.status, 1);
  await writeFile(file, found.stdout);
  const { seed, check } = v.parse(printed, found.stdout).found;
  const html = await readFile(page, "utf8");
  assert.match(html, new RegExp(`<h1>seed ${seed} breaks “${check}”</h1>`));
  assert.match(html, new RegExp(`duet sim run --plant equal-delays --seed ${seed} --schedules 1`));
  // The file names the plant and the seed: it is enough.
  const replayed = await sim("replay", "--choices", file);
  assert.equal(replayed.status, 1);
  assert.equal(replayed.stderr, "");
  const run_again = await sim("run", "--plant", "equal-delays", "--seed", String(seed), "--schedules", "1");
  assert.equal(run_again.status, 1);
  const story = (text: string) => text.slice(text.indexOf(`seed ${seed} breaks "${check}"`));
  assert.equal(story(replayed.stdout), story(run_again.stdout));
  assert.match(replayed.stdout, /with the plant equal-delays: /);
});
