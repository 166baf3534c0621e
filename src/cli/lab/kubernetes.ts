import type { Command } from "commander";
import { Progress, seconds } from "../../machine/progress.ts";
import { printJson } from "../output.ts";

export function registerKubernetes(lab: Command): void {
  lab
    .command("kubernetes")
    .description("Builds what a lab with Kubernetes needs, and starts none.")
    .option("--json", "the result as JSON")
    .addHelpText(
      "after",
      `
Kubernetes, CRI-O, CoreDNS and etcd 3.6 from their Go modules, the machines' OS image, and container images without a registry.
The first time takes about a quarter of an hour on two cores and 4 GB of memory; then all of it is in the cache, and
\`duet lab up --kubernetes\` takes it from there. A lab that is up is not changed.`,
    )
    .action(async (flags: { readonly json?: boolean }) => {
      const { ensureKubernetes } = await import("../../../lab/kubernetes/ensure.ts");
      const { dropUnfinished } = await import("../../../lab/cache.ts");
      const { onInterrupt } = await import("../interrupt.ts");
      const progress = new Progress();
      onInterrupt("what was built whole is kept; the same command goes on from there", dropUnfinished);
      const parts = await ensureKubernetes(progress);
      if (flags.json === true) printJson({ ...parts, steps: progress.steps, total_ms: progress.total_ms });
      else
        process.stdout.write(
          progress.steps.length === 0
            ? "Everything is built already. Next: duet lab up --kubernetes\n"
            : `\nBuilt after ${seconds(progress.total_ms)}. Next: duet lab up --kubernetes\n`,
        );
    });
}
