import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..", "..");
const pageOf = (name: string): string => readFileSync(join(root, "docs", "errors", `${name}.md`), "utf8");

/** Why steps came to nothing, as written in the sources: what is a sentence has a space in it. */
const said = /(?:stopped\(|failed\("\w+",|return|=>)\s*(?:"([^"\n]* [^"\n]*)"|`([^`]* [^`]*)`)/g;

/** Without what is filled in, and without the end of a line. */
const fixedParts = (sentence: string): readonly string[] =>
  sentence.split(/\$\{[^}]*\}|\\n/).filter((part) => part.trim() !== "");

/** What is not on the page, and how many sentences there are. */
function missing(
  page: string,
  path: string,
  saying: RegExp,
): { readonly count: number; readonly parts: readonly string[] } {
  const text = pageOf(page);
  const parts = [...readFileSync(path, "utf8").matchAll(saying)].flatMap(([, plain, filled]) =>
    fixedParts(plain ?? filled ?? ""),
  );
  return {
    count: parts.length,
    parts: parts.filter((part) => !text.includes(part.trim())).map((part) => `${path}: ${part}`),
  };
}

test("each sentence in which steps say why they came to nothing is on the page of what is unfinished", () => {
  const files = readdirSync(import.meta.dirname).filter(
    (name) => name.endsWith(".ts") && !name.includes("test"),
  );
  const found = files.map((name) =>
    missing("DUET-E-STATUS-UNFINISHED", join(import.meta.dirname, name), said),
  );
  assert.deepEqual(
    found.flatMap(({ parts }) => parts),
    [],
  );
  const count = found.reduce((sum, each) => sum + each.count, 0);
  assert.ok(count > 20, `${count} sentences`);
});

test("and so is what the agents themselves add to that, each on the page of what it is about", () => {
  const agents = join(root, "src", "agents");
  const etcd = missing("R-STOP-FAILED", join(agents, "etcd", "agent.ts"), /^ +\w+: "([^"\n]* [^"\n]*)",$/gm);
  const why = /why:\s*(?:"([^"]* [^"]*)"|`([^`]* [^`]*)`)/g;
  const setUp = missing("DUET-E-STATUS-RESOURCE-FAILED", join(agents, "etcd", "machine.ts"), why);
  const fence = missing(
    "R-FENCE",
    join(agents, "fence", "agent.ts"),
    /(?:complain\(|refuse\(machine,|return|failed\("\w+",)\s*(?:"([^"]*)"|`([^`]*)`)/g,
  );
  const options = missing("R-FENCE", join(agents, "fence", "options.ts"), why);
  const all = [etcd, setUp, fence, options];
  assert.deepEqual(
    all.flatMap(({ parts }) => parts),
    [],
  );
  const counts = all.map(({ count }) => count);
  assert.ok(
    counts.every((count, which) => count >= ([2, 2, 7, 3][which] ?? 0)),
    `${counts.join(", ")} sentences`,
  );
});
