import { exit, fail } from "../src/base/problem.ts";
import type { BenchOptions } from "./bench-table.ts";

/** Without `--only` everything is. */
export const isAsked = ({ only }: Pick<BenchOptions, "only">, name: string): boolean =>
  only === undefined || name.includes(only);

/** Words that are in no name would measure nothing, and pass. */
export function refuseNothing(options: Pick<BenchOptions, "only">, names: readonly string[]): void {
  if (names.some((name) => isAsked(options, name))) return;
  fail(
    "DUET-E-USAGE",
    `--only ${options.only ?? ""}`,
    `nothing that is measured has these words in its name; there is ${names.join("; ")}`,
    "choose words of these",
    exit.badInput,
  );
}
