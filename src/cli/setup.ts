import type { Command } from "commander";
import type { SetupOptions } from "../agents/setup.ts";

interface SetupFlags extends SetupOptions {
  readonly json?: boolean;
}

export function register(program: Command): void {
  program
    .command("setup")
    .description(
      "On a machine: makes it one of its site. Run by duet-setup.service at first boot; harmless to repeat.",
    )
    .option("--fence-test", "then switch the peer off once and on again, to measure how long that takes")
    .option(
      "--witness-test",
      "then see once more that the BMC of the peer keeps its tag; it is restarted, and away for a minute or two",
    )
    .option("--json", "print what was done as JSON")
    .addHelpText(
      "after",
      `
Examples:
  ssh node1 duet setup                 do what is left to do, and see that all is well
  ssh node1 duet setup --fence-test    also switch node2 off for real; it comes back by itself
  ssh node1 duet setup --witness-test  also restart the BMC of node2 (not node2): after new firmware, on both machines
  ssh node1 duet setup --json | jq -r .needsHuman

Exit status: 0 it is one of its site, and all is well; 1 a step failed, or waited in vain (the message says which; run it again); 2 the site
file is wrong; 3 this is no machine of duet's, or root is needed: nothing was changed.`,
    )
    .action(async (flags: SetupFlags) => {
      const { setup } = await import("../agents/setup.ts");
      const { Progress } = await import("../machine/progress.ts");
      const { printJson } = await import("./output.ts");
      const progress = new Progress();
      const done = await setup(progress, flags);
      const { steps, total_ms } = progress;
      if (flags.json === true) printJson({ done: true, ...done, steps, total_ms });
      else process.stdout.write(`${done.machine} is one of site ${done.site}\n`);
    });
  program
    .command("certificates", { hidden: true })
    .description(
      "On a machine: renews etcd's certificates where that is due. Run by duet-certificates.timer.",
    )
    .action(async () => {
      const { renewCertificates } = await import("../agents/setup.ts");
      const { Progress } = await import("../machine/progress.ts");
      await renewCertificates(new Progress());
    });
  program
    .command("wait-links", { hidden: true })
    .description("On a machine: waits until its addresses are there. Run before Corosync starts.")
    .action(async () => {
      const { waitLinks } = await import("../agents/wait-links.ts");
      await waitLinks((text) => {
        process.stderr.write(`${text}\n`);
      });
    });
}
