import { type Command, Option } from "commander";
import type { StatusOptions } from "./status-draw.ts";

export function register(program: Command): void {
  program
    .command("status")
    .summary("show both machines, who serves, and what is wrong")
    .description(
      "One screen: power, cluster and etcd of both machines, who serves, 1+1 or 1+0, fencing, what each machine waits for, " +
        "what is wrong and what to do. Works on each machine, and from where the site file is (over ssh, as `duet check`). " +
        "What can't be known is shown as unknown, with the reason. Changes nothing.",
    )
    .argument("[site]", "the site file; by default this machine's own, else ./site.yaml")
    .option("--watch", "draw it anew whenever something changes, until Ctrl-C")
    .option("--no-power", "do not ask the BMCs")
    .option("--ssh-config <file>", "configuration file for ssh, in place of yours")
    // What a seat asks of each machine: only what it knows itself, with no judgement.
    .addOption(new Option("--here").hideHelp())
    .option("--json", "print it as JSON")
    .addHelpText(
      "after",
      `
Examples:
  duet status                             on a machine, or beside site.yaml
  duet status --watch                     follow a failover
  duet status --json | jq '.whole, .wrong[].code'
  until duet status > /dev/null; do sleep 5; done   wait for 1+1

Exit status: 0 it is 1+1, fencing is proven and nothing is wrong; 1 something is not so; 2 the call or the site file is wrong;
3 this is no machine of duet's and has no site file, root is needed, or no machine could be asked. --watch ends with 0.`,
    )
    .action(async (site: string | undefined, options: StatusOptions) => {
      const { statusCommand } = await import("./status-command.ts");
      process.exitCode = await statusCommand(site, options, program.version() ?? "");
    });
}
