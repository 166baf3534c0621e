import assert from "node:assert/strict";
import { chmod, copyFile, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { scratch, versions } from "../../../lab/etcd36/testing.ts";
import { versionOf } from "./program.ts";

const deadline_ms = 20_000;

for (const { version, folder } of await versions())
  test(`etcd ${version} says which it is, and is asked once`, async () => {
    await using here = await scratch();
    const note = join(here.path, "run", "etcd-version");
    const program = join(folder, "etcd");
    const told = await versionOf(program, deadline_ms, note);
    assert.match(told ?? "", new RegExp(`^${version.replace(".", "\\.")}\\.\\d+$`));
    await writeFile(note, (await readFile(note, "utf8")).replace(told ?? "", "9.9.9"));
    assert.equal(await versionOf(program, deadline_ms, note), "9.9.9", "by the note");
  });

test("a file that takes another's place is asked anew, also behind a link", async () => {
  await using here = await scratch();
  const note = join(here.path, "note");
  const says = async (name: string, version: string) => {
    const path = join(here.path, name);
    await writeFile(`${path}.new`, `#!/bin/sh\necho "etcd Version: ${version}"\n`);
    await chmod(`${path}.new`, 0o755);
    await copyFile(`${path}.new`, path);
    await chmod(path, 0o755);
    return path;
  };
  const [one, two] = [await says("one", "3.5.33"), await says("two", "3.6.16")];
  const program = join(here.path, "etcd");
  await symlink(one, program);
  assert.equal(await versionOf(program, deadline_ms, note), "3.5.33");
  await rm(program);
  await symlink(two, program);
  assert.equal(await versionOf(program, deadline_ms, note), "3.6.16");
  await says("two", "3.6.17");
  assert.equal(await versionOf(program, deadline_ms, note), "3.6.17");
});

test("what is not named etcd is not run, what says something else says nothing, and what is not there neither", async () => {
  await using here = await scratch();
  const note = join(here.path, "note");
  const ran = join(here.path, "ran");
  const script = async (name: string, text: string) => {
    const path = join(here.path, name);
    await writeFile(path, `#!/bin/sh\n${text}\n`);
    await chmod(path, 0o755);
    return path;
  };
  const wrapper = await script("run-etcd", `touch ${ran}; echo "etcd Version: 3.6.16"`);
  assert.equal(await versionOf(wrapper, deadline_ms, note), undefined);
  await assert.rejects(readFile(ran), /ENOENT/);
  const other = await script("etcd", "echo podman version 5.4.2; exit 1");
  assert.equal(await versionOf(other, deadline_ms, note), undefined);
  assert.equal(await versionOf(join(here.path, "nowhere", "etcd"), deadline_ms, note), undefined);
  await assert.rejects(readFile(note), /ENOENT/);
});
