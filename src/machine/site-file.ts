import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { DuetError, exit, fail } from "../base/problem.ts";
import { readSite } from "../site/read.ts";
import type { Site } from "../site/site.ts";
import { isMissing } from "./files.ts";

export const site_file_default = "site.yaml";

/** Reads and checks the site file; everything wrong with it is one DuetError with status 2. */
export async function loadSite(path: string = site_file_default): Promise<Site> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    const what = isMissing(error) ? "there is no such file" : "the file can't be read";
    fail("DUET-E-SITE-FILE", path, what, "name another one, or write one with `duet init`", exit.badInput);
  });
  const { site, problems } = readSite(text, path);
  if (site === undefined) throw new DuetError(problems, exit.badInput);
  return site;
}

/** What the paths in a site file are relative to. */
export function siteFolder(path: string): string {
  return dirname(resolve(path));
}
