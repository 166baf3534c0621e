import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseScenario } from "../../src/scenario/parse.ts";
import { runScenario } from "../../src/scenario/run.ts";
import type { Tables } from "../../src/decide/rules.ts";
import { noPlant } from "../plants.ts";
import { instead } from "../plants/tables.ts";
import { simWorld } from "./world.ts";

/** A story that would end as told without the rule that it is there for tells nothing: each of these has to fail, and where. */

interface Mistake {
  readonly sentence: string;
  readonly tables: Tables;
  /** The story, and the step that notices. */
  readonly fails: Readonly<Record<string, string>>;
}

const mistakes: readonly Mistake[] = [
  {
    sentence: "a machine that is to stop leaves nothing first",
    tables: instead("leave", ["R-LEAVE"], { decide: () => ({ do: "stop" }) }),
    fails: {
      "stop-leader": "expect the survivor serves",
      "stop-follower": "expect the survivor serves",
      "reboot-leader": "expect no gap in writes over 5 seconds",
      "reboot-follower": "expect no gap in writes over 5 seconds",
      "data-wiped": "expect nobody took over",
    },
  },
  {
    sentence: "who may not take over fences",
    tables: instead("fence", ["R-FENCE"], { decide: () => ({ do: "may-fence" }) }),
    // In the lab it is the story that says so; here a check is quicker.
    fails: { "learner-after-cut": "until node1 is seen lost" },
  },
];

const folder = join(import.meta.dirname, "..", "..", "scenarios");

for (const { sentence, tables, fails } of mistakes)
  for (const [name, step] of Object.entries(fails))
    test(`${name} fails at \`${step}\` where ${sentence}`, async () => {
      const { scenario } = parseScenario(readFileSync(join(folder, `${name}.txt`), "utf8"), name);
      assert.ok(scenario);
      const world = simWorld({ header: scenario.header, plant: { ...noPlant, tables } });
      const { ok, steps } = await runScenario(scenario, world, {
        begins: () => undefined,
        ends: () => undefined,
      });
      assert.equal(ok, false, "it ends as told");
      assert.equal(steps.at(-1)?.text, step, steps.map(({ text, seen }) => `${text}: ${seen}`).join("\n"));
    });

test("who left and was copied anew is not the member that it was, also where nobody took over", async () => {
  const text =
    "# A\nstart both machines\nuntil 1+1\nreboot node2 in good order\nuntil 1+1\nexpect nobody took over\nexpect both machines are the members that they were\n";
  const { scenario } = parseScenario(text, "a.txt");
  assert.ok(scenario);
  const { ok, steps } = await runScenario(scenario, simWorld(scenario), {
    begins: () => undefined,
    ends: () => undefined,
  });
  assert.equal(ok, false);
  assert.equal(steps.at(-1)?.text, "expect both machines are the members that they were");
  assert.match(steps.at(-1)?.seen ?? "", /^node2 is \d+ and was \d+$/);
});
