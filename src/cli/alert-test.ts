import type { Command } from "commander";
import type { AlertTestOptions } from "./alert-test-command.ts";

export function register(program: Command): void {
  program
    .command("alert-test")
    .summary("send a test message by each way of `alerts:`")
    .description(
      "Sends one message of the kind `test` by each webhook, mail and syslog of the site file, and says which were taken. On a " +
        "machine: from there. Where the site file is: from both machines, over ssh. Not taken is not tried again.",
    )
    .argument("[site]", "the site file; by default this machine's own, else ./site.yaml")
    .option("--ssh-config <file>", "configuration file for ssh, in place of yours")
    .option("--json", "print it as JSON")
    .addHelpText(
      "after",
      `
Examples:
  duet alert-test                         on a machine, or beside site.yaml
  duet alert-test --json | jq '.tried[] | select(.ok | not)'

Exit status: 0 each way took it from each machine; 1 one did not, or a machine could not be asked; 2 the call or the site file is
wrong; 3 the site has no \`alerts:\`, or this is no machine of duet's and has no site file, or root is needed.`,
    )
    .action(async (site: string | undefined, options: AlertTestOptions) => {
      const { alertTestCommand } = await import("./alert-test-command.ts");
      process.exitCode = await alertTestCommand(site, options);
    });
}
