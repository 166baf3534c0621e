import assert from "node:assert/strict";
import { test } from "node:test";
import { importsOf, violations } from "./arrows.ts";
import { packageJson, sources } from "./tree.ts";

test("data flows one way, and the pure folders stay pure", async () => {
  const names = new Set(Object.keys((await packageJson()).dependencies));
  const files = await sources("src", "lab", "sim", "scripts");
  assert.ok(files.length > 20, `only ${files.length} files found`);
  const wrong = files.flatMap((file) => violations(file, names));
  assert.deepEqual(wrong, [], `\n${wrong.join("\n")}\n`);
});

test("finds every kind of import", () => {
  const text = [
    'import a from "./a.ts";',
    'import type { B } from "../b.ts";',
    "import {",
    "  c,",
    '} from "c";',
    'export * from "./d.ts";',
    'import "./e.ts";',
    'const f = await import("./f.ts");',
    "const g = await import(name);",
    '// import h from "./h.ts"',
    ' * from "./i.ts"',
    'type J = import("./j.ts").J;',
  ].join("\n");
  assert.deepEqual(
    importsOf(text).map(({ line, specifier }) => `${line} ${specifier}`),
    ["1 ./a.ts", "2 ../b.ts", "5 c", "6 ./d.ts", "7 ./e.ts", "8 ./f.ts", "9 undefined", "12 ./j.ts"],
  );
});

/** Each line is seeded into a file of that name; the sentence must name the file, the line and the rule. */
const seeded: readonly (readonly [path: string, line: string, rule: RegExp | undefined])[] = [
  [
    "src/site/x.ts",
    'import { run } from "../machine/process.ts";',
    /src\/site must not import from src\/machine/,
  ],
  ["src/site/x.ts", 'import type { R } from "../render/r.ts";', /src\/site must not import from src\/render/],
  [
    "src/machine/x.ts",
    'const lab = await import("../../lab/host.ts");',
    /src\/machine must not import from lab/,
  ],
  ["lab/x.ts", 'export { main } from "../src/cli/main.ts";', /lab must not import from src\/cli/],
  ["lab/x.ts", 'import { checkout } from "../scripts/tree.ts";', /lab must not import from scripts/],
  ["lab/x.ts", 'import { rows } from "../web/rows.ts";', /in no folder of the order/],
  ["src/cli/x.ts", "const module = await import(path);", /computed name/],
  ["src/cli/x.ts", 'import fc from "fast-check";', /fast-check, which is not in "dependencies"/],
  [
    "src/base/x.ts",
    'import { readFile } from "node:fs/promises";',
    /src\/base is pure and must not import node:fs/,
  ],
  ["src/render/x.ts", 'import { spawn } from "node:child_process";', /must not import node:child_process/],
  ["src/render/x.ts", "const now_ms = Date.now();", /src\/render is pure and must not use the clock/],
  ["src/site/x.ts", 'const home = process.env["HOME"];', /must not use process/],
  ["src/agents/x.ts", 'import { spawn } from "node:child_process";', /one door in src\/machine/],
  ["src/redfish/x.ts", 'import { request } from "node:https";', /one door in src\/machine/],
  ["src/elsewhere/x.ts", "export const x = 1;", /in no folder of the order/],
  ["src/render/x.ts", 'import { isIP } from "node:net";', undefined],
  ["src/render/x.ts", 'import { parse } from "yaml";', undefined],
  ["src/render/x.ts", 'import type { Site } from "../site/site.ts";', undefined],
  ["src/site/x.test.ts", 'import { run } from "../machine/process.ts";', undefined],
  ["src/cli/x.ts", 'const lab = await import("../../lab/host.ts");', undefined],
  ["src/machine/x.ts", "const now_ms = Date.now();", undefined],
  ["src/machine/x.ts", 'import { spawn } from "node:child_process";', undefined],
  ["lab/x.ts", 'import { spawn } from "node:child_process";', undefined],
  ["src/cli/x.ts", 'import manifest from "../../package.json" with { type: "json" };', undefined],
  ["scripts/x.ts", 'import fc from "fast-check";', undefined],
];

for (const [path, line, rule] of seeded)
  test(`${rule === undefined ? "allows" : "catches"} ${line} in ${path}`, () => {
    const found = violations({ path, text: `\n${line}\n` }, new Set(["yaml"]));
    if (rule === undefined) assert.deepEqual(found, []);
    else {
      assert.equal(found.length, 1, found.join("\n"));
      assert.match(found[0] ?? "", new RegExp(`^${path.replaceAll(".", "\\.")}:[12]: `));
      assert.match(found[0] ?? "", rule);
    }
  });
