import assert from "node:assert/strict";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fixtures } from "../facts/testing-fixtures.ts";
import { scratchFolder, writeFiles } from "../facts/testing-folder.ts";
import { run } from "../machine/process.ts";

const main = join(import.meta.dirname, "main.ts");
const duet = (...args: string[]) => run([process.execPath, main, "wal", ...args], { accept: "any" });

test("show and check: sound is 0, damage is 1 with file and offset, a wrong call is 2", async () => {
  await using scratch = await scratchFolder();
  const fixture = fixtures().find(({ name }) => name === "second-3.6");
  assert.ok(fixture !== undefined);
  const folder = await writeFiles(join(scratch.path, "etcd"), fixture.files);
  const shown = await duet("show", folder);
  assert.equal(shown.status, 0);
  assert.match(shown.stdout, new RegExp(`^member +${fixture.oracle.memberId}\n`));
  assert.match(shown.stdout, /^standing +voter$/m);
  // People name the folder inside, too.
  const json = await duet("show", "--json", join(folder, "member", "wal"));
  assert.match(json.stdout, new RegExp(`"clusterId": "${fixture.oracle.clusterId}"`));
  assert.match((await duet("check", folder)).stdout, /^sound: \d+ records in 1 segments, up to entry \d+/);

  const path = join(folder, "member", "wal", "0000000000000000-0000000000000000.wal");
  await using file = await open(path, "r+");
  await file.write(Buffer.from("!"), 0, 1, 100);
  for (const command of ["show", "check"]) {
    const { status, stderr } = await duet(command, folder);
    assert.equal(status, 1);
    assert.match(stderr, /0000000000000000\.wal@\d+: .*\n.*\[DUET-E-WAL-DAMAGED\]/);
  }
  const { status, stdout } = await duet("check", "--json", folder);
  assert.equal(status, 1);
  assert.match(stdout, /"sound": false/);

  assert.equal((await duet("check", join(scratch.path, "nowhere"))).status, 2);
  assert.equal((await duet("check")).status, 2);
  assert.equal((await duet("show", folder, "--jsn")).status, 2);
});

test("check names a snapshot that does not load, though the facts are right without it", async () => {
  await using scratch = await scratchFolder();
  const fixture = fixtures().find(({ name }) => name === "alone-3.5");
  assert.ok(fixture !== undefined);
  const folder = await writeFiles(join(scratch.path, "etcd"), fixture.files);
  const newest =
    [...fixture.files.keys()]
      .filter((name) => name.endsWith(".snap"))
      .toSorted()
      .at(-1) ?? "";
  await writeFile(join(folder, "member", newest), "");
  const { status, stderr } = await duet("check", folder);
  assert.equal(status, 1);
  assert.match(stderr, /\.snap@0: .*the file is empty/);
  assert.equal((await duet("show", folder)).status, 0);
});

test("alone: the only voter needs no flag; who may not commit its log gets none", async () => {
  await using scratch = await scratchFolder();
  const folderOf = async (name: string) => {
    const fixture = fixtures().find((each) => each.name === name);
    assert.ok(fixture !== undefined);
    return await writeFiles(join(scratch.path, name), fixture.files);
  };
  const only = await duet("alone", await folderOf("alone-3.6"));
  assert.deepEqual([only.status, only.stdout], [0, ""]);
  assert.match((await duet("alone", join(scratch.path, "alone-3.6"), "--json")).stdout, /"flags": \[\]/);
  // The fixtures have no database: what would be committed is refused before anything is written.
  const two = await duet("alone", await folderOf("second-3.6"));
  assert.deepEqual([two.status, two.stdout], [1, ""]);
  assert.match(two.stderr, /DUET-E-BACKEND-UNREADABLE/);
  const gone = await duet("alone", await folderOf("removed-3.6"));
  assert.equal(gone.status, 1);
  assert.match(gone.stderr, /DUET-E-WAL-STANDING/);
  assert.equal((await duet("alone", join(scratch.path, "nowhere"))).status, 2);
});
