import type { Command } from "commander";
import type { CheckOptions } from "./check-command.ts";

export function register(program: Command): void {
  program
    .command("check")
    .summary("check the site file, and the machines and BMCs behind it")
    .description(
      "Checks the site file, then tests what it describes: BMCs (reachable, certificate, login, power state, tag), " +
        "PDU outlets, links, clocks and disks. Changes nothing.",
    )
    .argument("[site]", "the site file", "site.yaml")
    .option("--offline", "check only the file")
    .option("--ssh-config <file>", "configuration file for ssh, in place of yours")
    .option("--json", "print the findings as JSON")
    .addHelpText(
      "after",
      `
Examples:
  duet check                        check ./site.yaml and the world behind it
  duet check --offline shop.yaml    check only the file
  duet check --json | jq '.findings[] | select(.mark == "fail")'

Exit status: 0 all well or only warnings, 1 something failed, 2 the file is wrong.`,
    )
    .action(async (site: string, options: CheckOptions) => {
      const { checkCommand } = await import("./check-command.ts");
      process.exitCode = await checkCommand(site, options);
    });
}
