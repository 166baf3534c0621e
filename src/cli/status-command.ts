import { gatherHere } from "../agents/status/gather.ts";
import { judge } from "../agents/status/judge.ts";
import { known, unknown } from "../agents/status/report.ts";
import { viewsFromSeat, withoutOutlet } from "../agents/status/seat.ts";
import { exitOf, type Status, type Views } from "../agents/status/status.ts";
import { paths } from "../base/paths.ts";
import { exit, type ExitStatus, fail } from "../base/problem.ts";
import { exists, readIfThere } from "../machine/files.ts";
import { loadSite, site_file_default, siteFolder } from "../machine/site-file.ts";
import type { Site } from "../site/site.ts";
import { printJson } from "./output.ts";
import { drawn, type StatusOptions } from "./status-draw.ts";
import { watchStatus } from "./status-watch.ts";

export async function statusCommand(
  file: string | undefined,
  options: StatusOptions,
  duet: string,
): Promise<ExitStatus> {
  const me = file === undefined ? (await readIfThere(paths.machine))?.trim() : undefined;
  const here = me === undefined ? undefined : await placeHere(me, options, duet);
  if (options.here === true) {
    if (here === undefined) return notHere("--here", "this is no machine of duet's");
    printJson(await gatherHere(here));
    return exit.ok;
  }
  const seat = here === undefined ? await placeSeat(file, options) : undefined;
  const look = async (power: boolean): Promise<Status> =>
    judge(
      here === undefined
        ? await viewsFromSeat({ ...(seat ?? never()), power })
        : await viewsHere({ ...here, power }),
    );
  if (options.watch === true) return await watchStatus(look, options);
  const status = await look(options.power);
  if (options.json === true) printJson(status);
  else process.stdout.write(drawn(status));
  return exitOf(status);
}

const never = (): never => {
  throw new Error("bug: neither here nor elsewhere");
};

type Place = Parameters<typeof gatherHere>[0];

async function placeHere(me: string, { power }: StatusOptions, duet: string): Promise<Place> {
  if (process.getuid?.() !== 0)
    return notHere("duet status", "on a machine it needs root, for etcd's and duet's own files");
  const site = await loadSite(paths.site);
  if (!site.machines.some(({ name }) => name === me) || site.machines.length !== 2)
    return fail(
      "DUET-E-SETUP-NOT-RENDERED",
      paths.machine,
      `${paths.site} does not name ${me} and one other`,
      "render the site again",
      exit.notHere,
    );
  return { site, folder: siteFolder(paths.site), me, duet, power };
}

async function placeSeat(file: string | undefined, options: StatusOptions) {
  if (file === undefined && !(await exists(site_file_default)))
    return notHere("duet status", `this is no machine of duet's, and there is no ${site_file_default} here`);
  const path = file ?? site_file_default;
  const site: Site = await loadSite(path);
  if (site.topology !== "dual-replica")
    return fail(
      "DUET-E-NOT-YET",
      `topology ${site.topology}`,
      "the file is valid, but duet can't show the status of this topology yet",
      "only `topology: dual-replica` has one in this version",
      exit.notHere,
    );
  return {
    site,
    folder: siteFolder(path),
    ...(options.sshConfig === undefined ? {} : { ssh_config: options.sshConfig }),
  };
}

async function viewsHere(place: Place): Promise<Views> {
  const report = await gatherHere(place);
  const names = place.site.machines.map(({ name }) => name);
  return {
    site: place.site.name,
    machines: names,
    noOutlet: withoutOutlet(place.site),
    from: place.me,
    at_ms: report.at_ms,
    reports: Object.fromEntries(
      names.map((name) => [
        name,
        name === place.me ? known(report) : unknown(`what only ${name} knows is told there`),
      ]),
    ),
    power: report.power,
  };
}

const notHere = (where: string, what: string): never =>
  fail(
    "DUET-E-STATUS-NOT-HERE",
    where,
    what,
    "run it as root on one of the two machines, or where the site file is: `duet status site.yaml`",
    exit.notHere,
  );
