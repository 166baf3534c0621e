import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { hashKept } from "../src/agents/hands/aside.ts";
import { sums_name } from "../src/facts/keep.ts";
import { run } from "../src/machine/process.ts";
import { type Copy, wrongIn } from "./scenario-kept.ts";

const hash = "0".repeat(64);
const files = ["member/snap/db", "member/wal/0.wal", "member/duet-raised"];
const whole: Copy = { files, sums: files.map((file) => `${hash}  ${file}\n`).join(""), complaint: "" };

test("a copy is whole with its log and its database, every file with its hash, and each hash right", () => {
  assert.equal(wrongIn(whole), undefined);
  assert.equal(wrongIn({ ...whole, files: ["member/wal/0.wal"] }), "it has no database");
  assert.equal(wrongIn({ ...whole, files: ["member/snap/db"] }), "it has no log");
  assert.equal(wrongIn({ ...whole, sums: "" }), "member/snap/db has no hash");
  assert.equal(wrongIn({ ...whole, files: [...files, "member/wal/1.wal"] }), "member/wal/1.wal has no hash");
  assert.match(wrongIn({ ...whole, complaint: "member/snap/db: FAILED" }) ?? "", /db: FAILED/);
});

test("the hashes that duet writes beside a copy are those that sha256sum reads", async () => {
  const kept = await mkdtemp(join(tmpdir(), "duet-kept-"));
  const copy = join(kept, "aside-0001");
  const own = files.slice(0, 2);
  const check = ["sha256sum", "--check", "--quiet", "--strict", sums_name] as const;
  try {
    for (const file of own) {
      await mkdir(join(copy, file, ".."), { recursive: true });
      await writeFile(join(copy, file), file);
    }
    assert.ok((await hashKept(kept)).ok);
    const { stdout: sums } = await run(["cat", join(copy, sums_name)]);
    await run(check, { cwd: copy });
    assert.equal(wrongIn({ files: own, sums, complaint: "" }), undefined);
    await writeFile(join(copy, "member/snap/db"), "another");
    const { status } = await run(check, { cwd: copy, accept: "any" });
    assert.notEqual(status, 0);
  } finally {
    await rm(kept, { recursive: true });
  }
});
