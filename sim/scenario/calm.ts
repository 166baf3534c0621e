import type { Scenario } from "../../src/scenario/scenario.ts";
import { endsWhole } from "../../src/scenario/traits.ts";
import type { Seen } from "../../src/scenario/world.ts";
import { inStories } from "../sentences.ts";
import { done, type SimStage } from "./stage.ts";
import { isWhole } from "./whole.ts";

const after_us = inStories.waiting_us + 5_000_000;

/** Behind the last step time goes on for a while: what is said by then is so, and a pair that was whole is still, and asks nobody for anything. */
export async function endsCalm(stage: SimStage, scenario: Scenario): Promise<Seen> {
  await stage.run(after_us);
  const { world, site } = stage;
  const isCalm = () =>
    isWhole(world, site) && site.nodes.every(({ verdict }) => verdict?.decision.do === "serve-as-is");
  const seen = `not calm ${after_us / 1_000_000} s later; ${stage.standing()}`;
  return stage.verdict(endsWhole(scenario) && !isCalm() ? { ok: false, seen } : done());
}
