import type { Command } from "commander";

export function register(program: Command): void {
  program
    .command("render <site>")
    .description(
      "Writes each machine's Ignition file: everything that makes a bare machine one of this site's.",
    )
    .requiredOption("-o, --output <folder>", "where to write NAME.ign")
    .option("--json", "the files written, as JSON")
    .addHelpText(
      "after",
      `
The files hold the BMCs' passwords, the cluster's key and the certificate authorities: they are readable by you alone.
Keep the folder: rendering again uses the same keys and authorities, so that the machines stay one cluster.

Exit status: 0 written, 2 the site file or something it names is wrong, 3 this topology can't be rendered yet.

Example:
  duet render site.yaml -o rendered`,
    )
    .action(async (site: string, flags: { readonly output: string; readonly json?: boolean }) => {
      const { renderSite } = await import("../agents/render.ts");
      const { printJson } = await import("./output.ts");
      const files = await renderSite(site, flags.output);
      if (flags.json === true) printJson({ files });
      else process.stdout.write(files.map((f) => `${f}\n`).join(""));
    });
}
