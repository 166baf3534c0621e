import { relative } from "node:path";
import { buildDuet } from "../lab/build.ts";
import { dropUnfinished } from "../lab/cache.ts";
import { canHost, ensureHost } from "../lab/host.ts";
import { ensureImage } from "../lab/image.ts";
import { buildBehind } from "../lab/kubernetes/behind.ts";
import { ensureKubernetesHost } from "../lab/kubernetes/ensure.ts";
import { onInterrupt } from "../src/cli/interrupt.ts";
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
  const inLab = plan.lab.length + plan.kubernetes.length;
  if (plan.ordinary.length + inLab === 0) {
    steps.progress.say(`no test file has ${patterns.join(" or ")} in its path`);
    return 2;
  }
  onInterrupt("what was built whole stays in the cache", dropUnfinished);
  if (everything) await runChecks(steps);
  const lab = inLab > 0 || everything ? await prepareLab(steps, plan) : no_lab;
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
  return plan.ordinary.length === 0 && !lab.whole ? 3 : 0;
}

/** Whether lab tests can run, and when those can that need Kubernetes. */
interface LabReady {
  readonly whole: boolean;
  readonly kubernetes?: Promise<boolean>;
}
const no_lab: LabReady = { whole: false };

/** Debian packages and the machines' OS image; Kubernetes is built behind what follows. */
async function prepareLab(steps: Steps, plan: TestPlan): Promise<LabReady> {
  const can = canHost();
  if (!can.ok) {
    steps.notRun("lab tests", can.why);
    return no_lab;
  }
  const kubernetes = plan.kubernetes.length > 0;
  const packages = await steps.quiet("host packages", async () => {
    await ensureHost(steps.progress, { tests: true });
    // Now, and not behind the tests: apt lets only one in.
    if (kubernetes) await ensureKubernetesHost(steps.progress);
    return "";
  });
  const image = await steps.quiet("OS image", async () => {
    const root = await ensureImage(steps.progress);
    process.env["DUET_IMAGE_ROOT"] = root;
    return "";
  });
  const whole = packages && image;
  if (!whole) {
    steps.blocked("lab tests", "not run: what they need failed, see above");
    return no_lab;
  }
  return kubernetes ? { whole, kubernetes: buildKubernetes(steps) } : { whole };
}

/** Ten minutes the first time: in the idle class, so that the tests before those that need it don't notice. */
async function buildKubernetes(steps: Steps): Promise<boolean> {
  const built = await steps.quiet("Kubernetes, behind the tests", async () => {
    await buildBehind();
    return "";
  });
  if (!built) steps.blocked("lab tests with Kubernetes", "not run: it was not built, see above");
  return built;
}

async function testStep(steps: Steps, plan: TestPlan, lab: LabReady): Promise<void> {
  const runs: TestRun[] = [{ files: plan.ordinary, concurrency: true, file_ms_max: 600_000 }];
  // A lab waits more than it works: for boots, for Corosync's token, for a BMC. Two of them fill two cores; with Kubernetes one does.
  const file_ms_max = 1_200_000;
  if (lab.whole) runs.push({ files: plan.lab, concurrency: 2, file_ms_max });
  if (lab.kubernetes !== undefined)
    runs.push({ files: plan.kubernetes, concurrency: 1, file_ms_max, ready: lab.kubernetes });
  const waiting = runs.filter((each) => each.files.length > 0);
  if (waiting.length === 0) return;
  const name = waiting.some((each) => each.concurrency !== true) ? "tests and lab tests" : "tests";
  await steps.quiet(name, async () => verdict(await runTests(waiting)));
}

function verdict(counts: Counts): string {
  const bad = counts.fail + counts.cancelled;
  if (bad > 0) throw new StepFailed(`${bad} of ${counts.tests} tests failed`);
  return `${counts.pass} passed`;
}

process.exitCode = await main(process.argv.slice(2));
