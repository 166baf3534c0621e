import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DuetError, exit } from "../src/base/problem.ts";
import { parseScenario } from "../src/scenario/parse.ts";
import type { Scenario } from "../src/scenario/scenario.ts";
import { checkout, treeFiles } from "./tree.ts";

/** The tree's scenarios by name, sorted; a file that is wrong is an error with all its problems. */
export async function scenarioFiles(): Promise<
  readonly { readonly name: string; readonly scenario: Scenario }[]
> {
  const paths = (await treeFiles()).filter((path) => /^scenarios\/[^/]+\.txt$/.test(path));
  return await Promise.all(
    paths.map(async (path) => {
      const { scenario, problems } = parseScenario(await readFile(join(checkout, path), "utf8"), path);
      if (scenario === undefined) throw new DuetError(problems, exit.badInput);
      return { name: path.replace(/^scenarios\/|\.txt$/g, ""), scenario };
    }),
  );
}

/** Who types a whole name means that story, also where it is a part of others' names; no pattern means all. */
export function namedBy<File extends { readonly name: string }>(
  patterns: readonly string[],
  files: readonly File[],
): readonly File[] {
  if (patterns.length === 0) return files;
  const whole = new Set(files.map(({ name }) => name));
  const fits = (pattern: string, name: string) =>
    whole.has(pattern) ? name === pattern : name.includes(pattern);
  return files.filter(({ name }) => patterns.some((pattern) => fits(pattern, name)));
}
