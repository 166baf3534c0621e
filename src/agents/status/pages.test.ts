import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { plainTables } from "../../decide/print.ts";
import { putOff } from "../hands/pace.ts";
import { pageOf } from "./page.ts";

const checkout = join(import.meta.dirname, "..", "..", "..");
const rules = plainTables().flatMap((table) => table.rules);
/** A machine that decides so waits, refuses, or calls somebody: an operator will read the sentence. */
const told = new Set<string>(["wait", "needs-human", "refuse-fence", "stop-and-alarm", ...putOff]);

test("each rule that makes a machine wait, refuses or calls a person has its page", async () => {
  const wanted = rules
    .filter(({ decisions }) => decisions.some((each) => told.has(each)))
    .map(({ id }) => id);
  assert.ok(wanted.length > 30, `only ${wanted.length} rules`);
  for (const id of wanted) await readFile(join(checkout, pageOf(id)));
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
  const commands = new Set(await readdir(join(checkout, "src", "cli")));
  for (const name of await readdir(join(checkout, "docs", "errors"))) {
    const text = (await readFile(join(checkout, "docs", "errors", name), "utf8")).replaceAll(/\s+/g, " ");
    if (!name.startsWith("R-")) continue;
    for (const [, command = ""] of text.matchAll(/`(?:ssh \S+ )?duet ([a-z-]+)/g))
      assert.ok(commands.has(`${command}.ts`), `${name}: duet ${command}`);
  }
});
