import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { receiving_bytes } from "./receiving.ts";

test("what comes of the leader's database is the file that etcd writes it to", async () => {
  const data = await mkdtemp(join(tmpdir(), "duet-receiving-"));
  try {
    assert.equal(await receiving_bytes(data), null, "no data at all");
    const snap = join(data, "member", "snap");
    await mkdir(snap, { recursive: true });
    await writeFile(join(snap, "db"), "x".repeat(50));
    assert.equal(await receiving_bytes(data), null, "its own database is none that comes");
    await writeFile(join(snap, "tmp1234"), "x".repeat(7));
    await writeFile(join(snap, "tmp0815"), "x".repeat(300));
    assert.equal(await receiving_bytes(data), 300);
  } finally {
    await rm(data, { recursive: true });
  }
});
