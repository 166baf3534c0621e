import { paths } from "../base/paths.ts";
import { exit, fail } from "../base/problem.ts";
import { exists, readIfThere } from "../machine/files.ts";
import { loadSite, site_file_default, siteFolder } from "../machine/site-file.ts";
import type { Site } from "../site/site.ts";

/** Where a command runs: on one of the machines, or where the site file is. */
export type Place =
  | { readonly at: "machine"; readonly me: string }
  | { readonly at: "seat"; readonly file: string; readonly site: Site; readonly folder: string };

/** A site file that is named is meant; else this machine's own, else ./site.yaml. */
export async function placeOf(command: string, file: string | undefined): Promise<Place> {
  const me = file === undefined ? (await readIfThere(paths.machine))?.trim() : undefined;
  if (me !== undefined) {
    if (process.getuid?.() !== 0)
      return elsewhere(command, "on a machine it needs root, for duet's own files");
    return { at: "machine", me };
  }
  const path = file ?? site_file_default;
  if (file === undefined && !(await exists(path)))
    return elsewhere(command, `this is no machine of duet's, and there is no ${path} here`);
  const site = await loadSite(path);
  if (site.topology !== "dual-replica")
    return fail(
      "DUET-E-NOT-YET",
      `topology ${site.topology}`,
      `the file is valid, but \`${command}\` is for two machines that fence each other`,
      "only `topology: dual-replica` has them in this version",
      exit.notHere,
    );
  return { at: "seat", file: path, site, folder: siteFolder(path) };
}

const elsewhere = (command: string, what: string): never =>
  fail(
    "DUET-E-STATUS-NOT-HERE",
    command,
    what,
    `run it as root on one of the two machines, or where the site file is`,
    exit.notHere,
  );
