import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { formatDuration } from "./duration.ts";
import { timeout_bounds, timeouts_default } from "./defaults.ts";
import { readSite } from "./read.ts";
import { rules } from "./rules.ts";

const docs = join(import.meta.dirname, "..", "..", "docs");
const guide = await readFile(join(docs, "site.md"), "utf8");

test("every example of a site file in the guide is right", () => {
  const examples = [...guide.matchAll(/```yaml\n([^]*?)```/g)].map(([, text = ""]) => text);
  assert.equal(examples.length, 3);
  for (const text of examples) assert.deepEqual(readSite(text, "site.yaml").problems, [], text);
});

test("the guide has every rule in the words of the table", () => {
  for (const { rule } of rules) assert.ok(guide.includes(`- ${rule}\n`), rule);
});

test("the guide has the defaults and bounds of the time-outs", () => {
  const defaults = {
    token: timeouts_default.token_ms,
    bmc_call: timeouts_default.bmc_call_ms,
    fence: timeouts_default.fence_ms,
  };
  for (const [name, { min_ms, max_ms }] of Object.entries(timeout_bounds)) {
    const line = guide.split("\n").find((each) => each.includes(`\`.${name}\``)) ?? "";
    assert.ok(line.includes(`${formatDuration(min_ms)} to ${formatDuration(max_ms)}`), name);
  }
  for (const [name, ms] of Object.entries(defaults))
    assert.ok(guide.includes(`\`.${name}\` | \`${formatDuration(ms)}\``), name);
});

test("the guide has every key of the schema", async () => {
  const schema = await readFile(join(docs, "site.schema.json"), "utf8");
  const keys = new Set([...schema.matchAll(/^ {4,}"(\w+)": \{$/gm)].map(([, key = ""]) => key));
  for (const key of [...keys].filter((each) => !["properties", "items"].includes(each)))
    assert.match(guide, new RegExp(`\`\\.?${key}\`|\\b${key}:`), key);
});
