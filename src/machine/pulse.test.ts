import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

test("the pulse begins file work again and again while something is waited for, and keeps no process alive", async () => {
  const pulse = JSON.stringify(join(import.meta.dirname, "pulse.ts"));
  const count = `
    import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const real = fs.stat;
    let asked = 0;
    fs.stat = (...args) => { asked += 1; return real(...args); };
    syncBuiltinESMExports();
    const { keepThreadsAwake } = await import(${pulse});
    keepThreadsAwake();
    process.on("exit", () => console.log(asked));
    if (process.argv[1] === "wait") { const t = setInterval(() => { if (asked > 1) clearInterval(t); }, 20); }
  `;
  const run = async (...args: readonly string[]) =>
    Number(
      (
        await promisify(execFile)(process.execPath, ["--input-type=module", "-e", count, "--", ...args], {
          timeout: 60_000,
        })
      ).stdout,
    );
  assert.equal(await run(), 0);
  assert.ok((await run("wait")) > 1);
});
