import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Command, CommanderError } from "commander";
import * as v from "valibot";
import { run } from "../machine/process.ts";
import { report, wantsJson } from "./report.ts";

const main = join(import.meta.dirname, "main.ts");
const quiet = "--disable-warning=ExperimentalWarning";
const duet = (...args: readonly string[]) => run([process.execPath, quiet, main, ...args], { accept: "any" });

const told = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ problems: v.array(v.object({ code: v.string(), where: v.string(), what: v.string() })) }),
);

test("the version is package.json's", async () => {
  const manifest = await readFile(join(import.meta.dirname, "..", "..", "package.json"), "utf8");
  const { version } = v.parse(v.pipe(v.string(), v.parseJson(), v.object({ version: v.string() })), manifest);
  assert.equal((await duet("--version")).stdout, `${version}\n`);
});

test("wrong usage is status 2 and told like every problem, with --json as data alone", async () => {
  const text = await duet("check", "--ofline");
  assert.equal(text.status, 2);
  assert.equal(
    text.stderr,
    "duet check: unknown option '--ofline' (Did you mean --offline?)\n    `duet check --help` shows how it is used  [DUET-E-USAGE]\n",
  );
  const json = await duet("lab", "status", "--json", "--lab");
  assert.deepEqual([json.status, json.stderr], [2, ""]);
  assert.deepEqual(v.parse(told, json.stdout).problems, [
    { code: "DUET-E-USAGE", where: "duet lab status", what: "unknown option '--lab'" },
  ]);
});

test("--help is no error; no command at all is one", async () => {
  const help = await duet("--help");
  assert.deepEqual([help.status, help.stderr], [0, ""]);
  const none = await duet();
  assert.equal(none.status, 2);
  assert.match(none.stderr, /^Usage: duet/);
});

test("a reader who has seen enough ends nothing and is no error", { timeout: 60_000 }, async () => {
  const child = spawn(process.execPath, [quiet, main, "lab", "--help"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.destroy();
  const ended = Promise.withResolvers<number | null>();
  child.on("close", ended.resolve);
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  assert.deepEqual([await ended.promise, said], [0, ""]);
});

test("--json behind -- is another program's", () => {
  assert.ok(wantsJson(["check", "--json"]));
  assert.ok(!wantsJson(["lab", "run", "node1", "--", "etcdctl", "--json"]));
});

/** What `report` prints for an error, in a process of its own: it writes to the real streams. */
async function reported(error: string, ...argv: readonly string[]) {
  const script = `
    import { Command } from "commander";
    import { report } from ${JSON.stringify(join(import.meta.dirname, "report.ts"))};
    process.exitCode = report(${error}, new Command("duet"), ${JSON.stringify(argv)});`;
  return await run([process.execPath, quiet, "--input-type=module", "-e", script], {
    accept: "any",
    cwd: import.meta.dirname,
  });
}

test("a bug is told as one, with its stack below, and is status 1", async () => {
  const text = await reported('new TypeError("x is not a function")', "check");
  assert.equal(text.status, 1);
  assert.match(
    text.stderr,
    /^duet: this is a bug of duet: x is not a function\n {4}please report it.*\[DUET-E-BUG\]\nTypeError: x is not a function\n {4}at /,
  );
  const json = await reported('"thrown text"', "check", "--json");
  assert.equal(json.status, 1);
  assert.equal(v.parse(told, json.stdout).problems[0]?.code, "DUET-E-BUG");
  assert.match(json.stderr, /^Error: thrown text\n {4}at /);
});

test("help that was asked for is status 0", () => {
  assert.equal(report(new CommanderError(0, "commander.helpDisplayed", ""), new Command("duet"), []), 0);
});
