import type { Command } from "commander";
import type { InitOptions } from "./init-command.ts";

export function register(program: Command): void {
  program
    .command("init")
    .summary("write a site file")
    .description(
      "Asks about the site and writes its file. Without a terminal, or with flags, it asks nothing.",
    )
    .argument("[file]", "the file to write", "site.yaml")
    .option("--name <name>", "the site's name")
    .option("--topology <topology>", "dual-replica, pair or single (default: dual-replica)")
    .option("--ssh-key <file>", "a public key that may log in to the machines (repeat for more)", collect)
    .option("--machine <spec>", "a machine, as in the example (repeat for each)", collect)
    .option("--api <address>", "the API's virtual IP")
    .option("--force", "overwrite the file if it is there")
    .option("--json", "print what was done as JSON")
    .addHelpText(
      "after",
      `
A machine is a list of key=value with commas between: name, address (one or two), bmc, credentials-file or
credentials-env, and ca with the file of a self-signed certificate.

Examples:
  duet init
  duet init shop.yaml --name shop-0042 --ssh-key admin.pub \\
    --machine name=node1,address=192.0.2.11,bmc=https://203.0.113.11,credentials-file=node1.bmc \\
    --machine name=node2,address=192.0.2.12,bmc=https://203.0.113.12,credentials-file=node2.bmc

Exit status: 0 written, 2 something is missing or wrong and nothing was written.`,
    )
    .action(async (file: string, options: InitOptions) => {
      const { initCommand } = await import("./init-command.ts");
      process.exitCode = await initCommand(file, options);
    });
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}
