import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { test } from "node:test";
import { plainTables } from "../../decide/print.ts";
import { run } from "../../machine/process.ts";
import { pageOf } from "./page.ts";

const checkout = join(import.meta.dirname, "..", "..", "..");
const rules = plainTables().flatMap((table) => table.rules);

test("each rule has its page: its sentence is printed by `duet status`, `duet explain` or the journal", async () => {
  assert.ok(rules.length > 70, `only ${rules.length} rules`);
  const pages = new Set(await readdir(join(checkout, "docs", "errors")));
  const missing = rules.map(({ id }) => id).filter((id) => !pages.has(basename(pageOf(id))));
  assert.deepEqual(missing, [], "rules without a page in docs/errors/");
});

test("each page of a rule has a rule, and tells in this order what to know and do", async () => {
  const ids = new Set(rules.map(({ id }) => id));
  const names = (await readdir(join(checkout, "docs", "errors"))).filter((name) => name.startsWith("R-"));
  const parts = ["What duet does", "What to look at", "What to do", "What not to do"];
  for (const name of names) {
    const id = name.replace(/\.md$/, "");
    assert.ok(ids.has(id), `${name}: there is no such rule`);
    const text = await readFile(join(checkout, "docs", "errors", name), "utf8");
    assert.match(text, new RegExp(`^# ${id}\n\n\\S`), name);
    const found = [...text.matchAll(/^## (.*)\n\n\S/gm)].map(([, part]) => part);
    assert.deepEqual(found, parts, name);
  }
});

/** Commands of duet's that do not exist must be told as such. */
test("no page promises a command that is not there", async () => {
  // As duet itself lists them: some files of src/cli hold several.
  const { stdout } = await run([process.execPath, join(checkout, "src", "cli", "main.ts"), "--help"]);
  const commands = new Set([...stdout.matchAll(/^ {2}([a-z-]+) /gm)].map(([, command]) => command));
  for (const name of await readdir(join(checkout, "docs", "errors"))) {
    const text = (await readFile(join(checkout, "docs", "errors", name), "utf8")).replaceAll(/\s+/g, " ");
    if (!name.startsWith("R-")) continue;
    for (const [, command = ""] of text.matchAll(/`(?:ssh \S+ )?duet ([a-z-]+)/g))
      assert.ok(commands.has(command), `${name}: duet ${command}`);
  }
});
