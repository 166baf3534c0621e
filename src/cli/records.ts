import { paths } from "../base/paths.ts";
import { exists } from "../machine/files.ts";
import { loadSite, site_file_default } from "../machine/site-file.ts";
import { readRecord, type Recording } from "../record/read.ts";

export interface RecordOptions {
  readonly site?: string;
  readonly sshConfig?: string;
}

export interface Records extends Recording {
  /** Machines that could not be asked, and why. */
  readonly silent: ReadonlyMap<string, string>;
}

/** The files that were named; on a machine its own record; where a site file is both machines', over ssh. */
export async function recordsFor(files: readonly string[], options: RecordOptions): Promise<Records> {
  const { site, sshConfig } = options;
  if (files.length > 0) return await fromFiles(files);
  const here = site === undefined && (await exists(paths.machine));
  const seat = !here && (site !== undefined || (await exists(site_file_default)));
  if (!seat) return await fromFiles([paths.record]);
  const { recordsFromSeat } = await import("../agents/record/seat.ts");
  return await recordsFromSeat({
    site: await loadSite(site ?? site_file_default),
    ...(sshConfig === undefined ? {} : { ssh_config: sshConfig }),
  });
}

const fromFiles = async (files: readonly string[]): Promise<Records> => ({
  ...(await readRecord(files)),
  silent: new Map(),
});

/** One line for each machine that could not be asked. */
export const silentText = ({ silent }: Records): string =>
  [...silent].map(([name, why]) => `Missing: the record of ${name}: ${why}.\n`).join("");
