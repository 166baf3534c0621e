import type { Place } from "../agents/status/gather.ts";
import type { Seat } from "../agents/status/seat.ts";
import { paths } from "../base/paths.ts";
import { exit, fail } from "../base/problem.ts";
import { exists, readIfThere } from "../machine/files.ts";
import { loadSite, site_file_default, siteFolder } from "../machine/site-file.ts";

/** Where a command runs: on a machine of the site, or at an operator's computer with the site file. */
export type Where = { readonly here: Omit<Place, "power"> } | { readonly seat: Omit<Seat, "power"> };

export interface Asking {
  /** As a user types it, such as `duet status`. */
  readonly command: string;
  /** Of the problem that it is neither here nor there. */
  readonly code: string;
  readonly file: string | undefined;
  readonly sshConfig: string | undefined;
  readonly duet: string;
}

/** A site file that is named counts more than the machine that this is. */
export async function whereAmI(asking: Asking): Promise<Where> {
  const me = asking.file === undefined ? (await readIfThere(paths.machine))?.trim() : undefined;
  return me === undefined ? { seat: await seatOf(asking) } : { here: await hereOf(me, asking) };
}

async function hereOf(me: string, asking: Asking): Promise<Omit<Place, "power">> {
  if (process.getuid?.() !== 0)
    return notHere(asking, asking.command, "on a machine it needs root, for etcd's and duet's own files");
  const site = await loadSite(paths.site);
  if (!site.machines.some(({ name }) => name === me) || site.machines.length !== 2)
    return fail(
      "DUET-E-SETUP-NOT-RENDERED",
      paths.machine,
      `${paths.site} does not name ${me} and one other`,
      "render the site again",
      exit.notHere,
    );
  return { site, folder: siteFolder(paths.site), me, duet: asking.duet };
}

async function seatOf(asking: Asking): Promise<Omit<Seat, "power">> {
  const { command, file, sshConfig } = asking;
  if (file === undefined && !(await exists(site_file_default)))
    return notHere(
      asking,
      command,
      `this is no machine of duet's, and there is no ${site_file_default} here`,
    );
  const path = file ?? site_file_default;
  const site = await loadSite(path);
  if (site.topology !== "dual-replica")
    return fail(
      "DUET-E-NOT-YET",
      `topology ${site.topology}`,
      `the file is valid, but \`${command}\` does not know this topology yet`,
      "only `topology: dual-replica` is known to it in this version",
      exit.notHere,
    );
  return { site, folder: siteFolder(path), ...(sshConfig === undefined ? {} : { ssh_config: sshConfig }) };
}

export const notHere = (
  { command, code }: Pick<Asking, "command" | "code">,
  where: string,
  what: string,
): never =>
  fail(
    code,
    where,
    what,
    `run it as root on one of the two machines, or where the site file is: \`${command} site.yaml\``,
    exit.notHere,
  );
