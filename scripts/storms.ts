import { join } from "node:path";
import { DuetError } from "../src/base/problem.ts";
import { run } from "../src/machine/process.ts";
import type { Steps } from "./steps.ts";
import { checkout } from "./tree.ts";

/** The same in each run: what broke once, and is mended, stays mended; and each rule must take part. */
const fixed_schedules = 30_000;
/** Some rules are rare: within so many schedules from here on each has its moment. */
const fixed_from = 255_000;
/** New ones for each commit: the tests search on, and the same commit has the same verdict wherever it is tested. */
const fresh_schedules = 12_000;
const deadline_ms = 600_000;
/** Far from the seeds that anybody types. */
const fresh_from = 1_000_000_000;

/** The simulator on all cores, once with known seeds and once with seeds that no other commit has run. */
export async function runStorms(steps: Steps): Promise<void> {
  await storm(
    steps,
    "storms, known seeds",
    ["--seed", String(fixed_from), "--schedules", String(fixed_schedules)],
    true,
  );
  const seed = freshSeed(await newestCommit());
  await storm(
    steps,
    "storms, fresh seeds",
    ["--seed", String(seed), "--schedules", String(fresh_schedules)],
    false,
  );
}

const freshSeed = (commit: string): number => fresh_from + Number.parseInt(commit.slice(0, 9), 16) * 1000;

/** A copy that is no checkout has none, and gets the same seeds each time. */
async function newestCommit(): Promise<string> {
  const { status, stdout } = await run(["git", "rev-parse", "HEAD"], {
    cwd: checkout,
    accept: "any",
    deadline_ms: 10_000,
  });
  return status === 0 ? stdout.trim() : "0";
}

async function storm(steps: Steps, name: string, args: readonly string[], everyRule: boolean): Promise<void> {
  await steps.step(name, async () => {
    const { status, stdout, stderr } = await run([join(checkout, "duet"), "sim", "run", ...args], {
      cwd: checkout,
      accept: "any",
      deadline_ms,
    });
    const [summary = ""] = stdout.split("\n");
    const all = /^rules that never did: none$/m.test(stdout);
    if (status === 0 && (all || !everyRule)) return `${args[0]} ${args[1]}: ${summary.split(";")[0] ?? ""}`;
    throw new DuetError([
      {
        code: "DUET-E-CHECK",
        where: name,
        what: `failed with status ${status}\n${stdout}${stderr}`,
        fix: "the seed in it repeats the run: `duet sim replay SEED`",
      },
    ]);
  });
}
