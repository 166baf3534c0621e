import type { Node } from "../agents/node.ts";
import type { Site } from "../agents/site.ts";
import type { Check } from "../checks.ts";
import { falsehood } from "../reasons.ts";
import type { World } from "../world.ts";

/** Who stands still looks again each ten seconds, and waits a while for a BMC that says nothing: then it says what is so now. */
export const settling_us = 20_000_000;
const look_us = 250_000;

/**
 * As storms hold it against the world at their end (sim/mend.ts), but all the time, with every fault that a story tells: what a
 * person would read there now, and would act on.
 */
export const trueSentences = (site: Site): Check => ({
  name: "a reason that is not true",
  sentence: "where a machine calls for a person, the reason that it gives is true",
  watch: (world) => {
    const { kernel } = world;
    /** Since when what it says is not so, whatever it said meanwhile. */
    const since_us: (number | undefined)[] = [undefined, undefined];
    let next_us = 0;
    kernel.afterEvent.push(() => {
      if (kernel.now_us < next_us) return;
      next_us = kernel.now_us + look_us;
      for (const node of site.nodes) {
        const wrong = wrongOf(world, site, node);
        const from_us = (since_us[node.id] ??= kernel.now_us);
        if (wrong === undefined) since_us[node.id] = undefined;
        else if (kernel.now_us - from_us > settling_us)
          kernel.fail("a reason that is not true", `${wrong}; ${told(node)}`);
      }
    });
  },
});

/** What is wrong with what this machine calls a person for; undefined: it calls nobody, or says what is so. */
export function wrongOf(world: World, site: Site, { id, verdict }: Node): string | undefined {
  const { up, hung } = world.machine(id);
  if (!up || hung || verdict?.decision.do !== "needs-human") return undefined;
  return falsehood({ world, site }, id, verdict.rule);
}

export const told = ({ name, verdict }: Node): string => `${name} says: ${verdict?.sentence ?? ""}`;
