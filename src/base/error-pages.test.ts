import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

const checkout = join(import.meta.dirname, "..", "..");
const pages_folder = join(checkout, "docs", "errors");

/** Without the pages of rules (`R-…`): src/agents/status/pages.test.ts sees to those. */
const pageNames = async (): Promise<readonly string[]> =>
  (await readdir(pages_folder)).filter((name) => !name.startsWith("R-"));

/** Every code that the sources can give, with a file that gives it. */
async function codes(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const top of ["src", "lab"]) {
    for (const entry of await readdir(join(checkout, top), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith(".ts") || entry.name.endsWith(".test.ts")) continue;
      const path = join(entry.parentPath, entry.name);
      for (const [code] of (await readFile(path, "utf8")).matchAll(/DUET-E-[A-Z0-9]+(?:-[A-Z0-9]+)*/g))
        found.set(code, path.slice(checkout.length + 1));
    }
  }
  return found;
}

test("every error code has a page, and every page a code", async () => {
  const given = await codes();
  const pages = (await pageNames()).map((name) => name.replace(/\.md$/, ""));
  const missing = [...given]
    .filter(([code]) => !pages.includes(code))
    .map(([code, path]) => `${code} (${path})`);
  assert.deepEqual(missing, [], "codes without a page in docs/errors/");
  assert.deepEqual(
    pages.filter((code) => !given.has(code)),
    [],
    "pages whose code is gone",
  );
});

test("every page says what the error means, shows one, and says what to do", async () => {
  for (const name of await pageNames()) {
    const text = await readFile(join(pages_folder, name), "utf8");
    assert.match(
      text,
      new RegExp(
        `^# ${name.replace(/\.md$/, "")}\n\n\\S[^]*\n## Example\n\n\`\`\`[^]*\n## What to do\n\n\\S`,
      ),
      name,
    );
  }
});
