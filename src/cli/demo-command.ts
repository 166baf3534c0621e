import { checkoutFolder } from "../../lab/checkout.ts";
import { announce, demo, demoLab, demoUp, endDemo, summary } from "../../lab/demo.ts";
import { labHint } from "../../lab/folder.ts";
import { canHost } from "../../lab/host.ts";
import { lockedLab } from "../../lab/lock.ts";
import { Progress } from "../machine/progress.ts";
import { columns_min } from "../record/draw.ts";
import { gapOf } from "../record/gap.ts";
import { onInterrupt } from "./interrupt.ts";
import { printJson } from "./output.ts";

export async function runDemo(flags: { readonly keep?: boolean; readonly json?: boolean }): Promise<void> {
  const here = canHost();
  if (!here.ok) {
    const { demoWithoutMachines } = await import("./demo-offline.ts");
    process.exitCode = await demoWithoutMachines(here.why, flags.json === true);
    return;
  }
  checkoutFolder();
  const progress = new Progress();
  await announce(progress);
  onInterrupt(`what was made so far is left; \`./${labHint(demoLab, "down")}\` takes it away`);
  await lockedLab(demoLab, async () => {
    const start_ms = progress.total_ms;
    const lab = await demoUp(progress);
    const up_ms = progress.total_ms - start_ms;
    try {
      const result = { up_ms, failover: await demo(lab, progress) };
      if (flags.json === true)
        printJson({ ...result, gap: gapOf(result.failover), kept: flags.keep === true });
      else process.stdout.write(summary(result, process.stdout.columns ?? columns_min));
    } finally {
      if (flags.keep !== true) await progress.step("take the lab away again", () => endDemo(lab));
    }
  });
  if (flags.json !== true) process.stdout.write(flags.keep === true ? playIn : whatNext);
}

const playIn = `
The lab "${demoLab}" is still up. Try:
  ./duet lab status --name ${demoLab}
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
