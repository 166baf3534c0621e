import { type Command, Option } from "commander";
import type { KubeconfigOptions } from "./kubeconfig-command.ts";

export function register(program: Command): void {
  program
    .command("kubeconfig")
    .summary("credentials for the site's Kubernetes API")
    .description(
      "Writes a kubeconfig with fresh credentials of an administrator. The key is made here and stays here; one of the machines signs " +
        "it, asked over ssh, or this machine itself. The file is readable by you alone.",
    )
    .argument("[site]", "the site file; by default this machine's own, else ./site.yaml")
    .option("-o, --output <file>", "where to write it; - prints it", "kubeconfig")
    .option("--days <number>", "how long it is good for, 1 to 365", "30")
    .option("--force", "overwrite the file if it is there")
    .option("--ssh-config <file>", "configuration file for ssh, in place of yours")
    // What a seat asks of a machine: a certificate for the public key on standard input.
    .addOption(new Option("--sign").hideHelp())
    .option("--json", "print what was written as JSON; never the key")
    .addHelpText(
      "after",
      `
Examples:
  duet kubeconfig                         beside site.yaml: writes ./kubeconfig
  kubectl --kubeconfig kubeconfig get nodes
  duet kubeconfig --days 1 -o ~/.kube/shop-0042 --force
  (umask 077; ssh node1 duet kubeconfig -o - > kubeconfig)      with no site file here: this key is made there, and travels

Exit status: 0 written; 1 no machine could be asked; 2 the call or the site file is wrong, or the file is there; 3 the site has no
\`kubernetes:\`, this is no machine of duet's and has no site file, or root is needed.`,
    )
    .action(async (site: string | undefined, options: KubeconfigOptions) => {
      const { kubeconfigCommand } = await import("./kubeconfig-command.ts");
      process.exitCode = await kubeconfigCommand(site, options);
    });
}
