import assert from "node:assert/strict";
import { appendFile, cp, mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { run } from "../src/machine/process.ts";
import { buildDuet, inputsHash } from "./build.ts";
import { checkoutFolder } from "./checkout.ts";

test("the hash follows what goes in, and not the tests", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-build-"));
  try {
    for (const path of ["src/cli", "lab", "sim", "scripts", "docs/errors"])
      await mkdir(join(folder, path), { recursive: true });
    for (const path of [
      "package.json",
      "package-lock.json",
      "scripts/build.ts",
      "src/cli/main.ts",
      "lab/a.ts",
      "docs/errors/R-TIE.md",
    ])
      await writeFile(join(folder, path), path);
    const first = await inputsHash(folder);
    assert.equal(await inputsHash(folder), first);
    await writeFile(join(folder, "src/cli/main.test.ts"), "a test");
    assert.equal(await inputsHash(folder), first);
    const seen = new Set([first]);
    for (const path of [
      "src/cli/main.ts",
      "lab/a.ts",
      "package-lock.json",
      "src/cli/new.ts",
      "docs/errors/R-TIE.md",
    ]) {
      await appendFile(join(folder, path), " ");
      seen.add(await inputsHash(folder));
    }
    assert.equal(seen.size, 6);
    await cp(join(folder, "src/cli/new.ts"), join(folder, "src/cli/same.ts"));
    assert.ok(!seen.has(await inputsHash(folder)));
  } finally {
    await rm(folder, { recursive: true });
  }
});

suite("the executable", () => {
  let folder = "";
  let duet = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "duet-build-"));
    duet = await buildDuet();
  });
  after(async () => {
    await rm(folder, { recursive: true });
  });

  test("a second build, and two at once, are the same file", async () => {
    const { ino } = await stat(duet);
    assert.deepEqual(await Promise.all([buildDuet(), buildDuet()]), [duet, duet]);
    assert.equal((await stat(duet)).ino, ino);
  });

  test("says the same as the checkout", async () => {
    const main = join(checkoutFolder(), "src/cli/main.ts");
    for (const args of [["--version"], ["--help"], ["no-such-command"]]) {
      const built = await run([duet, ...args], { accept: "any" });
      const source = await run([process.execPath, main, ...args], { accept: "any" });
      assert.deepEqual(built, source, args.join(" "));
    }
  });

  test("has every page in itself, and shows them as the checkout does", async () => {
    const main = join(checkoutFolder(), "src/cli/main.ts");
    // Elsewhere: it must not find the checkout's.
    for (const args of [["--json"], ["R-PEER-ON"]]) {
      const built = await run([duet, "page", ...args], { cwd: folder });
      assert.deepEqual(built, await run([process.execPath, main, "page", ...args]), args.join(" "));
      assert.match(built.stdout, /A has not met B since it booted/);
    }
  });

  test("is a command by itself under a name of the table", async () => {
    const setup = join(folder, "duet-setup");
    await symlink(duet, setup);
    // Only help: this must not set up the box that the tests run on.
    assert.deepEqual(await run([setup, "--help"]), await run([duet, "setup", "--help"]));
  });

  test("takes nothing from NODE_OPTIONS", async () => {
    const { stdout } = await run([duet, "--version"], { env: { NODE_OPTIONS: "--no-such-option" } });
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  });
});
