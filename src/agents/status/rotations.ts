import { paths } from "../../base/paths.ts";
import { failureOf } from "../hands/outcome.ts";
import type { Site } from "../../site/site.ts";
import { rotationOf, waitingSince_ms } from "../credentials/keeper.ts";
import { pageOf } from "./page.ts";
import { type Report, valueOf } from "./report.ts";
import type { Views, Wrong } from "./status.ts";

/** What this machine knows of credentials that are being changed. A file that can't be looked at is no reason to show nothing. */
export async function rotationsHere(site: Site, folder: string): Promise<NonNullable<Report["rotations"]>> {
  const found: NonNullable<Report["rotations"]> = {};
  for (const { name } of site.machines) {
    try {
      const waiting_ms = await waitingSince_ms({ site, folder }, name);
      const rotation = await rotationOf({ rotations: paths.rotations }, name);
      if (waiting_ms !== undefined || rotation?.handOver === true)
        found[name] = { waiting_ms: waiting_ms ?? null, handOver: rotation?.handOver === true };
    } catch (error) {
      failureOf(error);
    }
  }
  return found;
}

/** For this long it is part of every change. */
const patience_ms = 5 * 60_000;
const code = "DUET-E-STATUS-CREDENTIALS";

/** A machine that has only old credentials can't use that BMC: told from where the change was made, and from where it is not finished. */
export function rotationWrongs({ machines, reports }: Views): readonly Wrong[] {
  return machines.flatMap((by) => {
    const report = valueOf(reports[by]);
    const peer = machines.find((name) => name !== by) ?? "its peer";
    return Object.entries(report?.rotations ?? {}).flatMap(
      ([name, { waiting_ms, handOver }]): readonly Wrong[] => [
        ...(handOver
          ? [
              {
                code,
                where: peer,
                what: `is not known to have the new credentials of ${name}'s BMC: with the old ones it can't use it`,
                fix: `nothing: ${by} hands them over as soon as ${peer} is in the cluster`,
                page: pageOf(code),
              },
            ]
          : []),
        ...(waiting_ms !== null && (report?.at_ms ?? 0) - waiting_ms > patience_ms
          ? [
              {
                code,
                where: by,
                what: `holds new credentials for ${name}'s BMC beside the old ones, and the BMC has not taken them from there`,
                fix: `see the BMC and its user, then run \`duet credentials rotate ${name}\` again; until then those that it takes are used`,
                page: pageOf(code),
              },
            ]
          : []),
      ],
    );
  });
}
