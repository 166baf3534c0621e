import { gatherHere, type Place } from "./gather.ts";
import { known, unknown } from "./report.ts";
import { withoutOutlet } from "./seat.ts";
import type { Views } from "./status.ts";

/** As one machine sees the two of them. */
export async function viewsHere(place: Place): Promise<Views> {
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
