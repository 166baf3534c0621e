import type { Command } from "commander";
import type { RotateOptions } from "./credentials-command.ts";

export function register(program: Command): void {
  const credentials = program
    .command("credentials")
    .summary("give the machines new credentials for a BMC")
    .description("The credentials by which the machines reach their BMCs. Each machine has those of both.");
  credentials
    .command("rotate")
    .summary("new credentials for a machine's BMC, on both machines")
    .description(
      "Gives both machines new credentials for the BMC of MACHINE. They are tested before anything is switched to them, each machine " +
        "keeps the old ones until the BMC has taken the new ones from there, and at no moment is one of them without fencing. " +
        "With --change duet changes the password at the BMC itself; without, somebody has done that. A machine that is away " +
        "gets them by itself when it is back. They are read from standard input or a file: one line, username:password.",
    )
    .argument("<machine>", "whose BMC")
    .argument("[site]", "the site file; by default this machine's own, else ./site.yaml")
    .option("--change", "change the password of the BMC's user, by Redfish, to the new one")
    .option(
      "--from <file>",
      "read them from this file, which nobody else may read, and not from standard input",
    )
    .option("--ssh-config <file>", "configuration file for ssh, in place of yours")
    .option("--json", "print what was done as JSON")
    .addHelpText(
      "after",
      `
Examples:
  (umask 077; cat > new)                                one line, username:password, Enter, Ctrl-D
  duet credentials rotate node2 --change --from new     beside site.yaml, or on a machine
  duet credentials rotate node2 --from new              the password was changed on the BMC's own pages
  ssh node1 duet credentials rotate node2 --change < new

Exit status: 0 done on both machines, or here and later on the one that is away; 1 it failed, or the peer has not proven them yet, see the
message; 2 the input is wrong; 3 not here.`,
    )
    .action(async (machine: string, site: string | undefined, options: RotateOptions) => {
      const { rotateCommand } = await import("./credentials-command.ts");
      process.exitCode = await rotateCommand(machine, site, options);
    });
}
