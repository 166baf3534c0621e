import type { Command } from "commander";
import type { FenceTestOptions } from "./fence-test-command.ts";

export function register(program: Command): void {
  program
    .command("fence-test")
    .summary("prove that a machine can be switched off by its peer")
    .description(
      "Proves that MACHINE can be fenced, from the machine that would do it, its peer. Without harm: each way to its power by itself " +
        "(BMC, PDU outlet) is connected to, its certificate verified, logged in to and read, its tag too; at 1+1 the tag is also written, with " +
        "the value that is there. With --disruptive it is really switched off, Off is read, and it is waited for until 1+1 is back. " +
        "duet-fence-test.timer does the harmless one each day; `duet status` shows the last.",
    )
    .argument("[machine]", "which one to fence; on a machine by default its peer, elsewhere by default both")
    .argument("[site]", "the site file; by default this machine's own, else ./site.yaml")
    .option("--disruptive", "really switch it off and on again, at 1+1 alone; asks first")
    .option("--yes", "consent to that without being asked")
    .option("--ssh-config <file>", "configuration file for ssh, in place of yours")
    .option("--json", "print what was seen as JSON")
    .addHelpText(
      "after",
      `
Examples:
  duet fence-test node2                       on node1, or beside site.yaml
  duet fence-test                             beside site.yaml: both, one after the other
  duet fence-test node2 --disruptive          asks, then switches node2 off for real; it comes back by itself
  ssh node1 duet fence-test node2 --disruptive --yes

Exit status: 0 each way is proven (and 1+1 is back); 1 one is not, or Off did not come; 2 the call or the site file is wrong, or nobody
consented; 3 not here, not at 1+1, or another machine goes by plan now: nothing was done.`,
    )
    .action(async (machine: string | undefined, site: string | undefined, options: FenceTestOptions) => {
      const { fenceTestCommand } = await import("./fence-test-command.ts");
      process.exitCode = await fenceTestCommand(machine, site, options);
    });
}
