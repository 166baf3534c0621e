import type { Command } from "commander";
import type { UninstallFlags } from "./uninstall-command.ts";

export function register(program: Command): void {
  program
    .command("uninstall")
    .summary("on a machine: take everything of duet off it, and leave etcd's data")
    .description(
      "On a machine, as root: leaves the cluster in good order, puts back what stood in the BMC's asset tag, and takes duet's units, " +
        "agents and files off. etcd's data stays, with a script that starts it without duet. A site is uninstalled machine " +
        "by machine. Says first what it will do. Cut off anywhere, it is run again and goes on.",
    )
    .option("--yes", "do not ask")
    .option("--force <why>", "go on though the peer is gone, or a BMC does not answer; the reason is kept")
    .option("--json", "print what was done as JSON; needs --yes")
    .addHelpText(
      "after",
      `
Examples:
  ssh -t node2 duet uninstall          see what it will do, and say yes
  ssh node1 duet uninstall --yes       then the other machine, which is the last one
  duet uninstall --yes --force "node1 burnt down, node2 goes to another site"

Exit status: 0 it is off, or was before; 1 something failed, try again; 2 there is nobody to ask and no --yes; 3 this is no machine of
duet's, root is needed, the peer is no full voter, or another machine goes by plan now: nothing was changed. See docs/uninstall.md.`,
    )
    .action(async (flags: UninstallFlags) => {
      const { uninstallCommand } = await import("./uninstall-command.ts");
      process.exitCode = await uninstallCommand(flags);
    });
}
