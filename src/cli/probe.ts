import type { Command } from "commander";

/** Hidden: what `duet check` runs on a machine. */
export function register(program: Command): void {
  program
    .command("probe", { hidden: true })
    .description("Measures this machine for `duet check`: disk syncs, clock, versions.")
    .option("--folder <path>", "a folder on the disk to measure", "/var/lib")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  duet probe --folder /var/lib/etcd")
    .action(async (options: { readonly folder: string; readonly json?: boolean }) => {
      const { probe } = await import("../agents/check/probe.ts");
      const { printJson } = await import("./output.ts");
      const report = await probe(options.folder, program.version() ?? "");
      if (options.json === true) printJson(report);
      else {
        const { disk, versions } = report;
        process.stdout.write(
          `disk sync in ${disk.folder}: p50 ${disk.p50_ms} ms, p99 ${disk.p99_ms} ms, max ${disk.max_ms} ms (${disk.writes} writes)\n` +
            `duet ${versions.duet}, node ${versions.node}, kernel ${versions.kernel}\n`,
        );
      }
    });
}
