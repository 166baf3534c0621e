import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { syncOwn } from "./sync.ts";

test("only the file systems that hold duet's own folders are synced, and never all that is mounted", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-sync-"));
  const before = process.env["PATH"];
  try {
    // In front of the real one.
    await writeFile(join(folder, "sync"), `#!/bin/sh\necho "$@" > ${folder}/said\n`, { mode: 0o755 });
    process.env["PATH"] = `${folder}:${before}`;
    await syncOwn();
  } finally {
    process.env["PATH"] = before;
  }
  const [option, ...folders] = (await readFile(join(folder, "said"), "utf8")).trim().split(" ");
  await rm(folder, { recursive: true });
  assert.equal(option, "--file-system");
  for (const own of ["/etc", "/var/lib", "/root"]) assert.ok(folders.includes(own), folders.join(" "));
  for (const each of folders) assert.match(each, /^\/[a-z/]+$/);
});
