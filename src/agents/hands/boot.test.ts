import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { bootMark } from "./boot.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-boot-"));
after(() => rm(folder, { recursive: true }));

test("a boot has one short name, and the next one another; a system that does not tell has none", async () => {
  const file = join(folder, "boot_id");
  const booted = async (id: string) => {
    await writeFile(file, id);
    return bootMark(file);
  };
  const first = await booted("0f6b1c6e-7d1a-4c7e-9b55-0d0b6d5f6c11\n");
  assert.match(first ?? "", /^[0-9a-f]{12}$/);
  assert.equal(bootMark(file), first);
  assert.notEqual(await booted("6c9f0f2d-0b0e-4f3c-8a57-5b1d7f4f9a10\n"), first);
  assert.equal(await booted(""), undefined);
  assert.equal(bootMark(join(folder, "missing")), undefined);
  assert.equal(bootMark(), bootMark(), "this machine's own");
});
