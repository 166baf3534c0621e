import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "../machine/process.ts";

const module = JSON.stringify(join(import.meta.dirname, "interrupt.ts"));

test("Ctrl-C clears up to the end, also where npm passes it on once more, and ends with 130", async () => {
  const code = `
    const { onInterrupt } = await import(${module});
    onInterrupt("nothing", () => {
      process.kill(process.pid, "SIGINT");
      const end = Date.now() + 200;
      while (Date.now() < end);
      process.stderr.write("cleared\\n");
    });
    setTimeout(() => process.kill(process.pid, "SIGINT"), 10);
    setTimeout(() => process.exit(7), 10_000);`;
  const { status, stderr } = await run([process.execPath, "--input-type=module", "--eval", code], {
    accept: "any",
  });
  assert.equal(status, 130);
  assert.equal(stderr, "\ninterrupted: nothing\ncleared\n");
});
