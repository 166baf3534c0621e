import type { Command } from "commander";
import type { ChooseOptions } from "./choose-data-command.ts";

export function register(program: Command): void {
  program
    .command("choose-data")
    .summary("on a machine: choose whose data counts, where both can't")
    .description(
      "The way out where both machines hold data that can't be put in order, or where what is left was given up. Shows what both " +
        "hold and what is lost, and asks. The other machine's data is moved aside (/var/lib/duet/kept), nothing is deleted. Said on " +
        "one machine it counts on both while they see each other; else say it on the one whose data is chosen. It counts for what was shown: once " +
        "either machine holds something else, a later choice has to be said anew.",
    )
    .argument("<machine>", "the machine whose data counts from now on")
    .option(
      "--accept-data-loss <epoch>",
      "where the other machine is away: the epoch whose writes may be lost, as the refusal names it; `unknown`; or both, `7,unknown`",
    )
    .option("--yes", "do not ask: for scripts")
    .option("--wait <seconds>", "so long is waited for the end", "180")
    .option("--json", "print it as JSON, with what was shown")
    .addHelpText(
      "after",
      `
Examples:
  duet choose-data node1                      at a terminal of either machine
  ssh root@node1 duet choose-data node1 --yes
  duet choose-data node1 --accept-data-loss 7      node2 is gone, and served up to epoch 7 what node1 does not hold

Exit status: 0 the chosen machine serves, or this one has given its data up for it; 1 refused, or not confirmed, or not done in time;
2 the call is wrong; 3 this is no machine of duet's, root is needed, or there is no terminal to ask at and no --yes.`,
    )
    .action(async (machine: string, options: ChooseOptions) => {
      const { chooseCommand } = await import("./choose-data-command.ts");
      process.exitCode = await chooseCommand(machine, options);
    });
}
