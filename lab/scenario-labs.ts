import type { Progress } from "../src/machine/progress.ts";
import { type Report, runScenario, type ScenarioResult, unfit } from "../src/scenario/run.ts";
import type { Scenario } from "../src/scenario/scenario.ts";
import { acceptsLoss, losesTag } from "../src/scenario/traits.ts";
import { takeDown } from "./down.ts";
import { labWorld } from "./scenario-world.ts";

/** Several scenarios, with a lab made once for all of them that want the same one. */

export interface LabGroup {
  readonly header: Scenario["header"];
  readonly scenarios: readonly Scenario[];
}

/** What the lab can't do of it today, one sentence each. */
export function lackedByLab(scenario: Scenario, progress: Progress): readonly string[] {
  const world = labWorld({ name: "none", header: scenario.header, progress });
  return unfit(scenario, world).map(({ what }) => what);
}

const wants = ({ header }: Scenario): string =>
  JSON.stringify([
    header.pdu,
    header.bmc,
    header.fencing,
    header.kubernetes,
    header.address,
    header.escalate,
  ]);

export function groupByLab(scenarios: readonly Scenario[]): readonly LabGroup[] {
  return [...Map.groupBy(scenarios, wants).values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ header: first.header, scenarios: group }];
  });
}

/**
 * Runs them one after the other in one lab, each from two whole machines on; the lab is gone afterwards. After one that failed the
 * next gets new machines: nobody knows what those are in. So it does after a loss that was accepted (losses that were accepted on
 * both machines, one in each of two scenarios, can't be put in order: an admin would have to choose), and after a tag that was lost (a
 * BMC without the tag that it had is no witness any more, until it is tested again).
 */
export async function inOneLab(
  name: string,
  scenarios: Iterable<Scenario>,
  progress: Progress,
  each: (scenario: Scenario, run: (report: Report) => Promise<ScenarioResult>) => Promise<boolean>,
): Promise<void> {
  // One that a killed run has left may be of another kind: with no PDU, say.
  await takeDown(name);
  try {
    for (const scenario of scenarios) {
      const world = labWorld({ name, header: scenario.header, progress, reuse: true });
      try {
        const well = await each(scenario, (report) => runScenario(scenario, world, report));
        if (!well || acceptsLoss(scenario) || losesTag(scenario)) await takeDown(name);
      } finally {
        await world.close();
      }
    }
  } finally {
    await takeDown(name);
  }
}
