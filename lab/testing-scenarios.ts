import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Progress } from "../src/machine/progress.ts";
import { parseScenario } from "../src/scenario/parse.ts";
import { runScenario } from "../src/scenario/run.ts";
import type { Scenario } from "../src/scenario/scenario.ts";
import { checkoutFolder } from "./checkout.ts";
import { lackedByLab } from "./scenario-labs.ts";
import { labWorld } from "./scenario-world.ts";

/** The scenarios that are marked for CI and for the lab: those with Kubernetes, or the others. One of which the lab lacks something is an error. */
export function scenariosForCi(progress: Progress, kubernetes: boolean): readonly Scenario[] {
  const folder = join(checkoutFolder(), "scenarios");
  return readdirSync(folder)
    .filter((file) => file.endsWith(".txt"))
    .flatMap((file): readonly Scenario[] => {
      const { scenario } = parseScenario(readFileSync(join(folder, file), "utf8"), `scenarios/${file}`);
      assert.ok(scenario !== undefined, `scenarios/${file} is not understood`);
      const { ci, worlds } = scenario.header;
      if (!ci || !worlds.includes("lab") || scenario.header.kubernetes !== kubernetes) return [];
      assert.deepEqual(lackedByLab(scenario, progress), [], scenario.file);
      return [scenario];
    });
}

/** Plays it in the lab of that name, which is made where there is none, and stays. A step that fails is told with all before it. */
export async function playScenario(name: string, scenario: Scenario, progress: Progress): Promise<void> {
  const world = labWorld({ name, header: scenario.header, progress, reuse: true });
  try {
    const told: string[] = [];
    const { ok, problems } = await runScenario(scenario, world, {
      begins: () => undefined,
      ends: (step) => {
        told.push(`${(step.to_ms / 1000).toFixed(1)} s  ${step.text}  ${step.seen}`);
      },
    });
    assert.ok(ok, [...told, ...problems.map(({ where, what }) => `${where}: ${what}`)].join("\n"));
  } finally {
    await world.close();
  }
}
