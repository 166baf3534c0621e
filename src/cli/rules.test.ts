import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { plainTables } from "../decide/print.ts";
import { run } from "../machine/process.ts";

const main = join(import.meta.dirname, "main.ts");
const duet = (...args: readonly string[]) =>
  run([process.execPath, main, "rules", ...args], { accept: "any" });

test("`duet rules` prints every rule, one rule, and says which was meant", async () => {
  const all = await duet();
  for (const { rules } of plainTables()) for (const { id } of rules) assert.ok(all.stdout.includes(id), id);
  const { stdout } = await duet("r-take-over", "--json");
  const takeover = plainTables().find(({ name }) => name === "takeover");
  assert.ok(takeover);
  const rules = takeover.rules.filter(({ id }) => id === "R-TAKE-OVER");
  assert.equal(rules.length, 1);
  assert.deepEqual(JSON.parse(stdout), { tables: [{ ...takeover, rules }] });
  const wrong = await duet("R-TAKEOVER");
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /did you mean R-TAKE-OVER\?/);
});
