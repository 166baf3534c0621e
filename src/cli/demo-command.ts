import { dropUnfinished } from "../../lab/cache.ts";
import { checkoutFolder } from "../../lab/checkout.ts";
import { announce, demo, demoLab, type DemoResult, demoUp, endDemo, summary } from "../../lab/demo.ts";
import { type ApiResult, apiSummary, demoKubernetes, kubernetesUp } from "../../lab/demo-kubernetes.ts";
import { type Lab, labHint } from "../../lab/folder.ts";
import { canHost } from "../../lab/host.ts";
import { ensureImage } from "../../lab/image.ts";
import { buildBehind } from "../../lab/kubernetes/behind.ts";
import { ensureKubernetesHost } from "../../lab/kubernetes/ensure.ts";
import { lockedLab } from "../../lab/lock.ts";
import { takeDownNow } from "../../lab/take-down-now.ts";
import { clearWay } from "../../lab/up.ts";
import { exit } from "../base/problem.ts";
import { endRunning } from "../machine/process.ts";
import { Progress } from "../machine/progress.ts";
import { columns_min } from "../record/draw.ts";
import { gapOf } from "../record/gap.ts";
import { onInterrupt } from "./interrupt.ts";
import { printJson } from "./output.ts";

export interface DemoFlags {
  readonly keep?: boolean;
  readonly json?: boolean;
  readonly withoutKubernetes?: boolean;
}

export async function runDemo(flags: DemoFlags): Promise<void> {
  const here = canHost();
  if (!here.ok) {
    const { demoWithoutMachines } = await import("./demo-offline.ts");
    process.exitCode = await demoWithoutMachines(here.why, flags.json === true);
    return;
  }
  checkoutFolder();
  const [kubernetes, keep, json] = [
    flags.withoutKubernetes !== true,
    flags.keep === true,
    flags.json === true,
  ];
  const show = (text: string) => {
    if (!json) process.stdout.write(text);
  };
  const columns = process.stdout.columns ?? columns_min;
  const progress = new Progress();
  await announce(progress, kubernetes);
  await lockedLab(demoLab, async (folder) => {
    // One that was kept is in the way, and is not touched. From here on the lab is ours.
    await clearWay(folder, demoLab, progress);
    onInterrupt("what was made is taken away; what was built whole stays in the cache", () => {
      for (const path of dropUnfinished()) process.stderr.write(`${path} is left: remove it\n`);
      if (!takeDownNow(demoLab))
        process.stderr.write(`the lab is left: \`./${labHint(demoLab, "down")}\` takes it away\n`);
    });
    const built = kubernetes ? await beginBuild(progress) : undefined;
    const first = await part(demoUp, demo, keep && !kubernetes, progress).catch((error: unknown) => {
      // The build behind it would go on for minutes, for nobody.
      endRunning();
      throw error;
    });
    show(summary(first, columns));
    const second = built === undefined ? undefined : await secondPart(built, keep, progress);
    if (second !== undefined) {
      show(apiSummary(second, columns));
      if (second.clients.problems.length > 0) process.exitCode = exit.failed;
    }
    if (json) printJson(asData(first, second, keep));
  });
  show(keep ? playIn(kubernetes) : whatNext);
}

const asData = (first: DemoResult, second: ApiResult | undefined, kept: boolean) => ({
  ...first,
  gap: gapOf(first.failover),
  ...(second === undefined ? {} : { kubernetes: { ...second, gap: gapOf(second.failover) } }),
  kept,
});

interface Build {
  readonly whole: Promise<void>;
  isOver: boolean;
}

/** What the build shares with the first part comes before both: apt lets only one in, and an image is made once. */
async function beginBuild(progress: Progress): Promise<Build> {
  await ensureKubernetesHost(progress);
  await ensureImage(progress);
  const build: Build = {
    whole: buildBehind().finally(() => {
      build.isOver = true;
    }),
    isOver: false,
  };
  // It is told when its turn comes; the first part needs nothing of it.
  build.whole.catch(() => undefined);
  return build;
}

async function secondPart(build: Build, keep: boolean, progress: Progress): Promise<ApiResult> {
  if (!build.isOver) {
    progress.say(
      "\nNow the same with Kubernetes, as soon as it is built (Ctrl-C stops; what was built whole is kept):",
    );
    await progress.step("the rest of the build", () => build.whole);
  } else progress.say("\nNow the same with Kubernetes:");
  await build.whole;
  return await part(kubernetesUp, demoKubernetes, keep, progress);
}

/** Machines up, one lost and back, and all of it away again. */
async function part<R extends object>(
  up: (progress: Progress) => Promise<Lab>,
  lose: (lab: Lab, progress: Progress) => Promise<R>,
  keep: boolean,
  progress: Progress,
): Promise<R & { readonly up_ms: number }> {
  const start_ms = progress.total_ms;
  const lab = await up(progress);
  const up_ms = progress.total_ms - start_ms;
  try {
    return { ...(await lose(lab, progress)), up_ms };
  } finally {
    if (!keep) await progress.step("take the lab away again", () => endDemo(lab));
  }
}

const kubectlLines = `
  ./duet lab run seat --name ${demoLab} -- kubectl get nodes,pods -A   the API, by its virtual IP`;

const playIn = (kubernetes: boolean): string => `
The lab "${demoLab}" is still up. Try:
  ./duet lab status --name ${demoLab}${kubernetes ? kubectlLines : ""}
  ./duet lab run node1 --name ${demoLab} -- crm_mon -1      the cluster, as node1 sees it
  ./duet lab run seat --name ${demoLab} -- duet check       what an operator checks before trusting a site
  ./duet lab run seat --name ${demoLab} -- duet explain     the last failover, from both machines' recorders
  ./duet lab wire cut link1 --name ${demoLab}               pull one of the two links: nothing but a warning
  ./duet lab power hang node2 --name ${demoLab}             freeze a machine
  ./duet lab shell node1 --name ${demoLab}
  ./duet lab down --name ${demoLab}                         when you are done
`;

const whatNext = `
Next:
  npm start -- --keep       the same, and the lab stays up to play in
  ./duet lab --help         lose machines, cut wires, break BMCs
  ./duet init               write a site file for two machines of your own
`;
