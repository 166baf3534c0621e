import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "../src/machine/process.ts";
import { checkout } from "./tree.ts";

for (const name of ["bugs", "build", "rules", "scenario-docs", "schema"])
  test(`${name} begins nothing for a word that it does not know`, async () => {
    const script = join(checkout, "scripts", `${name}.ts`);
    const { status, stdout, stderr } = await run([process.execPath, script, "--help"], {
      accept: "any",
      deadline_ms: 60_000,
    });
    assert.deepEqual([status, stdout], [2, ""]);
    assert.match(stderr, /^(npm run|node) .*\n {2}\S/);
  });
