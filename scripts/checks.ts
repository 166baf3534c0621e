import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { missingPackages } from "../lab/host.ts";
import { hostPackages } from "../lab/packages.ts";
import { DuetError } from "../src/base/problem.ts";
import { run } from "../src/machine/process.ts";
import type { Steps } from "./steps.ts";
import { checkout, shellFiles } from "./tree.ts";

/** Checks of the text alone: they need npm packages and nothing else. */
const tools = [
  { name: "format", argv: ["@biomejs/biome/bin/biome", "format"], fix: "npm run format mends it" },
  { name: "lint", argv: ["oxlint/bin/oxlint", "--type-aware"], fix: "the rules are in .oxlintrc.json" },
  { name: "types", argv: ["typescript/bin/tsc"], fix: "the settings are in tsconfig.json" },
] as const;

export async function runChecks(steps: Steps): Promise<void> {
  for (const { name, argv, fix } of tools) {
    const [program, ...args] = argv;
    await steps.step(name, async () => {
      await tool(name, [process.execPath, join(checkout, "node_modules", program), ...args], fix);
      return "";
    });
  }
}

/** shellcheck is a Debian package and not an npm one, so that a box may lack it. */
export async function runShellcheck(steps: Steps): Promise<void> {
  const name = "shell files";
  const absent = missingPackages(hostPackages.filter((p) => p.name === "shellcheck")).length > 0;
  if (absent) {
    steps.notRun(name, "shellcheck is not installed here");
    return;
  }
  await steps.step(name, async () => {
    const files = await shellFiles();
    await tool(
      name,
      ["shellcheck", "--norc", "--", ...files],
      "https://www.shellcheck.net/wiki explains each code",
    );
    return `${files.length} files`;
  });
}

/** A change to one type can break a hundred files; the first ones tell as much. */
const lines_max = 200;

async function tool(name: string, argv: readonly [string, ...string[]], fix: string): Promise<void> {
  const { status, stdout, stderr } = await run(argv, {
    cwd: checkout,
    accept: "any",
    deadline_ms: 300_000,
  });
  if (status === 0) return;
  // oxlint takes CI=true for a terminal, whatever NO_COLOR says.
  const lines = stripVTControlCharacters(`${stdout}${stderr}`).trimEnd().split("\n");
  const more = lines.length > lines_max ? [`(and ${lines.length - lines_max} lines more)`] : [];
  const what = [`failed with status ${status}`, ...lines.slice(0, lines_max), ...more].join("\n");
  throw new DuetError([{ code: "DUET-E-CHECK", where: name, what, fix }]);
}
