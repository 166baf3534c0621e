import * as v from "valibot";
import type { Scenario } from "../src/scenario/scenario.ts";
import { machine_names } from "../src/scenario/slots.ts";
import { endsMended } from "../src/scenario/traits.ts";
import type { Seen } from "../src/scenario/world.ts";
import type { Eyes } from "./scenario-eyes.ts";
import type { Stage } from "./scenario-stage.ts";
import { statusAt } from "./scenario-status.ts";

/** Looks, tests of fencing and alerts each have their turn within a minute; the rest is for a busy host. */
const within_ms = 90_000;
const pause_ms = 1_000;

const shown = v.object({
  whole: v.string(),
  wrong: v.array(v.object({ code: v.string(), where: v.string(), what: v.string() })),
});

/**
 * Behind the last step of a story that leaves two whole machines, and nothing that it did to the world: each machine's status says 1+1, and
 * tells nobody of anything that is wrong.
 */
export async function endsCalm(stage: Stage, eyes: Eyes, scenario: Scenario): Promise<Seen> {
  if (!endsMended(scenario)) return { ok: true, seen: "" };
  let uneasy: readonly string[] = [];
  const seen = await eyes.until(
    "the status is not calm",
    within_ms,
    async () => {
      const asked = machine_names.map(async (name) => uneasyIn(name, await statusAt(stage, name)));
      uneasy = (await Promise.all(asked)).flat();
      return uneasy.length === 0;
    },
    pause_ms,
  );
  return seen.ok ? seen : { ok: false, seen: [seen.seen, ...uneasy].join("; ") };
}

/** One sentence for each thing that a status at this machine has anybody worry about. */
export function uneasyIn(at: string, status: unknown): readonly string[] {
  const found = v.safeParse(shown, status);
  if (!found.success) return [`on ${at} there is no status`];
  const { whole, wrong } = found.output;
  return [
    ...(whole === "1+1" ? [] : [`${at} says ${whole}`]),
    ...wrong.map(({ code, where, what }) => `${at} says ${code} of ${where}: ${what}`),
  ];
}
