import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import * as v from "valibot";
import { plainTables } from "../decide/print.ts";
import { run } from "../machine/process.ts";
import { pageText, withoutTitle } from "./page-text.ts";
import { nearCodes, pageCodes, readPage } from "./pages.ts";

const main = join(import.meta.dirname, "main.ts");
const folder = join(import.meta.dirname, "..", "..", "docs", "errors");
const duet = (...args: readonly string[]) =>
  run([process.execPath, "--disable-warning=ExperimentalWarning", main, ...args], { accept: "any" });
const plain = (text: string) => text;

const told = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ pages: v.array(v.object({ code: v.string(), page: v.string(), text: v.string() })) }),
);

/** That each code of the sources has a file there is kept by src/base/error-pages.test.ts. */
test("`duet page` has the page of every error and of every rule", async () => {
  const { pages } = v.parse(told, (await duet("page", "--json")).stdout);
  const files = (await readdir(folder)).toSorted();
  assert.deepEqual(
    pages.map(({ page }) => page).toSorted(),
    files.map((name) => `docs/errors/${name}`),
  );
  for (const { code, text } of pages)
    assert.equal(text, await readFile(join(folder, `${code}.md`), "utf8"), code);
  const codes = new Set(pages.map(({ code }) => code));
  for (const { rules } of plainTables()) for (const { id } of rules) assert.ok(codes.has(id), id);
});

test("each page reads as plain text in a terminal: nothing of it is lost, and no mark is left", () => {
  const width = 80;
  for (const code of pageCodes()) {
    const page = readPage(code);
    const text = pageText(page, width, plain);
    assert.ok(text.startsWith(`${code}\n\n`), code);
    // Examples are left as they are, and a command that is longer than a line stays in one piece.
    const prose = text.split("\n").filter((line) => !line.startsWith("    "));
    for (const line of prose) {
      assert.doesNotMatch(line.replaceAll(/`[^`]*`/g, ""), /\]\(|\*\*|^#|^```/, `${code}: ${line}`);
      assert.ok(line.length <= width || line.includes("`"), `${code}: ${line}`);
    }
    for (const [, example = ""] of page.matchAll(/^```[a-z]*\n([^]*?)^```$/gm))
      for (const line of example.split("\n")) assert.ok(text.includes(line), `${code}: ${line}`);
    const words = (each: string) => each.replaceAll(/\]\([^)]*\)|[^A-Za-z0-9]+/g, " ").split(" ");
    const shown = new Set(words(text));
    assert.deepEqual(
      words(page.replaceAll(/^```.*$/gm, "")).filter((word) => !shown.has(word)),
      [],
      code,
    );
  }
});

test("links, lists, commands and examples", () => {
  const page = `# R-X

One line
and **another** ([R-TIE](R-TIE.md), [a tie](R-TIE.md), [fencing.md](../fencing.md#a), [alert](../alerts.md)).

## What to do

1. See \`duet status --watch\`: it
   goes on.
   - Then \`**this**\`.

\`\`\`
duet  x
\`\`\`
`;
  assert.equal(
    pageText(page, 30, plain),
    `R-X

One line and another (R-TIE, a
tie (\`duet page R-TIE\`),
docs/fencing.md#a, alert
(docs/alerts.md)).

What to do

1. See \`duet status --watch\`:
   it goes on.
   - Then \`**this**\`.

    duet  x
`,
  );
});

test("a code as somebody copied it, and status 2 with what is near for one that is not there", async () => {
  const [copied, wrong, far, data] = await Promise.all([
    duet("page", "[docs/errors/r-peer-on.md]"),
    duet("page", "DUET-E-PEER-AWAY"),
    duet("page", "xyzzy"),
    duet("page", "R-TAKEOVER", "--json"),
  ]);
  assert.equal(copied.stdout, pageText(readPage("R-PEER-ON"), 80, plain));
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /did you mean .*DUET-E-STATUS-PEER-AWAY.*\?\s+\[DUET-E-PAGE-UNKNOWN\]/);
  assert.match(far.stderr, /`duet page` prints the names of all/);
  assert.deepEqual([far.status, data.status], [2, 2]);
  assert.match(data.stdout, /"fix": "did you mean R-TAKE-OVER\b/);
  assert.deepEqual(nearCodes("", pageCodes()), []);
});

test("`duet rules ID` prints the rule, and its page below", async () => {
  const { stdout } = await duet("rules", "r-peer-on");
  assert.match(stdout, /R-PEER-ON → /);
  assert.ok(stdout.endsWith(`\n\n${pageText(withoutTitle(readPage("R-PEER-ON")), 80, plain)}`), stdout);
});
