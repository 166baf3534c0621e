import { relative } from "node:path";
import { buildDuet } from "../lab/build.ts";
import { canHost, ensureHost } from "../lab/host.ts";
import { ensureImage } from "../lab/image.ts";
import { seconds } from "../src/machine/progress.ts";
import { runChecks, runShellcheck } from "./checks.ts";
import { type Counts, runTests, type TestRun } from "./nodetest.ts";
import { runStorms } from "./storms.ts";
import { StepFailed, Steps } from "./steps.ts";
import { planTests, type TestPlan } from "./testfiles.ts";
import { checkout, treeFiles } from "./tree.ts";

/** `npm test`: everything. `npm test -- PATTERN...`: only the test files whose path has a pattern in it, and no checks. */
async function main(patterns: readonly string[]): Promise<number> {
  const steps = new Steps();
  const everything = patterns.length === 0;
  const plan = planTests(await treeFiles(), patterns);
  if (plan.ordinary.length + plan.lab.length === 0) {
    steps.progress.say(`no test file has ${patterns.join(" or ")} in its path`);
    return 2;
  }
  if (everything) await runChecks(steps);
  const lab = plan.lab.length > 0 || everything ? await prepareLab(steps) : false;
  if (everything) {
    await runShellcheck(steps);
    await steps.quiet("build", async () => relative(checkout, await buildDuet(steps.progress)));
  }
  await testStep(steps, plan, lab);
  if (everything) await runStorms(steps);
  process.stderr.write(
    `\n${steps.table()}  ${steps.failed ? "failed" : "passed"} in ${seconds(steps.progress.total_ms)}\n`,
  );
  if (steps.failed) return 1;
  // Asked for lab tests alone, where none can run: that is no success.
  return plan.ordinary.length === 0 && !lab ? 3 : 0;
}

/** Debian packages and the machines' OS image; whether lab tests can run. */
async function prepareLab(steps: Steps): Promise<boolean> {
  const can = canHost();
  if (!can.ok) {
    steps.notRun("lab tests", can.why);
    return false;
  }
  const packages = await steps.quiet("host packages", async () => {
    await ensureHost(steps.progress, { tests: true });
    return "";
  });
  const image = await steps.quiet("OS image", async () => {
    const root = await ensureImage(steps.progress);
    process.env["DUET_IMAGE_ROOT"] = root;
    return "";
  });
  if (!packages || !image) steps.blocked("lab tests", "not run: what they need failed, see above");
  return packages && image;
}

async function testStep(steps: Steps, plan: TestPlan, lab: boolean): Promise<void> {
  const runs: TestRun[] = [{ files: plan.ordinary, concurrency: true, file_ms_max: 600_000 }];
  // One at a time: each boots machines and measures, on two cores.
  if (lab) runs.push({ files: plan.lab, concurrency: 1, file_ms_max: 1_200_000 });
  const waiting = runs.filter((each) => each.files.length > 0);
  if (waiting.length === 0) return;
  const name = waiting.some((each) => each.files === plan.lab) ? "tests and lab tests" : "tests";
  await steps.quiet(name, async () => verdict(await runTests(waiting)));
}

function verdict(counts: Counts): string {
  const bad = counts.fail + counts.cancelled;
  if (bad > 0) throw new StepFailed(`${bad} of ${counts.tests} tests failed`);
  return `${counts.pass} passed`;
}

process.exitCode = await main(process.argv.slice(2));
