import type { Command } from "commander";
import type { ConfirmOptions } from "./confirm-peer-down-command.ts";

export function register(program: Command): void {
  program
    .command("confirm-peer-down")
    .summary("on a machine: say that its peer is off, so that it may serve alone")
    .description(
      "Your word that the peer is off, where duet can't prove it. Shows what is known (the peer's power, both tags, what both hold, " +
        "how old it is, what could be lost), asks, switches the peer off where its BMC answers, and waits until this machine serves. " +
        "The word replaces the proof of Off and nothing else: a machine with older data refuses, unless you name the epoch whose " +
        "loss you accept; `unknown` names none. It counts for this boot and until the peer is seen again; who said it, and what was shown, is kept in the flight recorder.",
    )
    .option(
      "--accept-data-loss <epoch>",
      "the epoch whose writes may be lost, as the refusal names it; `unknown` where a tag can't be read; `7,unknown` for both",
    )
    .option("--yes", "do not ask: for scripts")
    .option("--wait <seconds>", "so long is waited for the end", "180")
    .option("--json", "print it as JSON, with what was shown")
    .addHelpText(
      "after",
      `
Examples:
  duet confirm-peer-down                                 at a terminal of the machine that is to serve
  ssh root@node1 duet confirm-peer-down --yes            from a script
  duet confirm-peer-down --accept-data-loss 7            what was acknowledged up to epoch 7 and is not here may be lost
  duet confirm-peer-down --accept-data-loss unknown      a tag can't be read: what the peer acknowledged alone may be lost
  duet confirm-peer-down --accept-data-loss 7,unknown    one tag names epoch 7, and the other can't be read: both may be lost

Exit status: 0 this machine serves; 1 refused, or not confirmed, or it does not serve in time (the message says which); 2 the call is
wrong; 3 this is no machine of duet's, root is needed, or there is no terminal to ask at and no --yes.`,
    )
    .action(async (options: ConfirmOptions) => {
      const { confirmCommand } = await import("./confirm-peer-down-command.ts");
      process.exitCode = await confirmCommand(options);
    });
}
