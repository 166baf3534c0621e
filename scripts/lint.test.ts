import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "../src/machine/process.ts";
import { checkout } from "./tree.ts";

/** What must never pass, each in the smallest form. */
const probe = `async function save(): Promise<void> {}
export function forgets(): void {
  save();
}
export function misses(kind: "cut" | "hang" | "feed"): string {
  switch (kind) {
    case "cut":
      return "dead";
    case "hang":
      return "frozen";
  }
  return "";
}
export function handles(): void {
  void save();
}
`;

test("lint catches a floating promise and a missing switch case, and nothing more here", async () => {
  // Inside the tree: the linter takes its types from the tree's tsconfig.json.
  const folder = join(checkout, "scripts", `probe-${process.pid}`);
  await mkdir(folder);
  try {
    await writeFile(join(folder, "probe.ts"), probe);
    const { status, stdout } = await run(
      [
        process.execPath,
        join(checkout, "node_modules/oxlint/bin/oxlint"),
        "--type-aware",
        "--format=unix",
        folder,
      ],
      { cwd: checkout, accept: "any" },
    );
    assert.equal(status, 1, stdout);
    const found = [
      ...stdout.matchAll(/probe\.ts:(\d+):\d+: .*\b(no-floating-promises|switch-exhaustiveness-check)\b/g),
    ];
    assert.deepEqual(
      found.map(([, line, rule]) => `${line} ${rule}`).toSorted(),
      ["3 no-floating-promises", "6 switch-exhaustiveness-check"],
      stdout,
    );
    assert.match(stdout, /\b2 problems\b/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
