import { paths } from "../../base/paths.ts";
import type { Site } from "../../site/site.ts";
import type { AlertSight } from "../status/report.ts";
import { Spool } from "./spool.ts";

/** How telling people went from this machine, for `duet status`; null: the site tells nobody. */
export async function alertSight(site: Site, folder: string = paths.alerts): Promise<AlertSight | null> {
  if (site.alerts.length === 0) return null;
  const spool = new Spool(folder);
  const [state, entries] = await Promise.all([spool.state(), spool.peek()]);
  const waiting = (name: string) =>
    entries.filter(({ to, held }) => held === undefined && to.includes(name)).length;
  const names = new Set([...Object.keys(state.ways), ...entries.flatMap(({ to }) => to)]);
  return {
    ways: [...names].toSorted().map((name) => {
      const { sent_ms, failed, given_up = 0, failures = 0 } = state.ways[name] ?? {};
      return {
        name,
        sent_ms: sent_ms ?? null,
        failed: failed === undefined ? null : { ...failed, again: failures > 0 },
        waiting: waiting(name),
        given_up,
      };
    }),
  };
}
