import { dirname, resolve } from "node:path";
import { DuetError, exit, fail } from "../base/problem.ts";
import { site_bytes_max } from "../site/defaults.ts";
import { readSite } from "../site/read.ts";
import type { Site } from "../site/site.ts";
import { siteTooLong } from "../site/source.ts";
import { readSmall } from "./files.ts";

export const site_file_default = "site.yaml";

/** Reads and checks the site file; everything wrong with it is one DuetError with status 2. */
export async function loadSite(path: string = site_file_default): Promise<Site> {
  const file = await readSmall(path, site_bytes_max);
  if (!file.ok && file.kind === "too-long") throw new DuetError([siteTooLong(`${path}:1:1`)], exit.badInput);
  if (!file.ok)
    fail(
      "DUET-E-SITE-FILE",
      path,
      `the site file can't be read: ${file.why}`,
      "name another one, or write one with `duet init`",
      exit.badInput,
    );
  const { site, problems } = readSite(file.text, path);
  if (site === undefined) throw new DuetError(problems, exit.badInput);
  return site;
}

/** What the paths in a site file are relative to. */
export function siteFolder(path: string): string {
  return dirname(resolve(path));
}
