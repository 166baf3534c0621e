import type { Command } from "commander";
import type { DemoFlags } from "./demo-command.ts";

export function register(program: Command): void {
  program
    .command("demo")
    .description(
      "Shows duet on two machines on this box: one lost, the other takes over, both again; then with a Kubernetes API on them. What `npm start` runs.",
    )
    .option("--keep", "leave the lab running, to play in")
    .option(
      "--without-kubernetes",
      "only the first part, with etcd: a minute, and nothing to build but an image",
    )
    .option("--json", "the measured times as JSON")
    .addHelpText(
      "after",
      `
The first time Kubernetes is built from its sources, behind the first part: about ten minutes on two cores. Ctrl-C stops at
any time, takes away what is not whole, and ends with status 130; what was built whole is used the next time.

Examples:
  npm start
  npm start -- --without-kubernetes
  npm start -- --keep`,
    )
    .action(async (flags: DemoFlags) => {
      const { runDemo } = await import("./demo-command.ts");
      await runDemo(flags);
    });
}
