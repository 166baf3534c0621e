import assert from "node:assert/strict";
import { test } from "node:test";
import { parseScenario } from "../../src/scenario/parse.ts";
import { unfit } from "../../src/scenario/run.ts";
import { simWorld } from "./world.ts";

test("the simulator refuses a site with Kubernetes, and one where a failed stop escalates, before anything is started", () => {
  for (const [head, why] of [
    ["kubernetes", /no Kubernetes/],
    ["escalate", /every stop succeeds/],
  ] as const) {
    const { scenario } = parseScenario(`${head}\nstart both machines\nuntil 1+1\n`, "x.txt");
    assert.ok(scenario !== undefined);
    assert.match(
      unfit(scenario, simWorld(scenario))
        .map(({ what }) => what)
        .join(),
      why,
    );
  }
});
