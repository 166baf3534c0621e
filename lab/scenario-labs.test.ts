import assert from "node:assert/strict";
import { test } from "node:test";
import { parseScenario } from "../src/scenario/parse.ts";
import { groupByLab } from "./scenario-labs.ts";

test("stories share a lab only where each BMC has the same times", () => {
  const told = ["", "bmc of node1: off 1 second, on 1 second", "bmc of node2: off 6 seconds, on 46 seconds"];
  const scenarios = told.flatMap((head, nth) => {
    const { scenario } = parseScenario(`${head}\nstart both machines\n`, `${nth}.txt`);
    return scenario === undefined ? [] : [scenario];
  });
  assert.deepEqual(
    groupByLab(scenarios).map((group) => group.scenarios.map(({ file }) => file)),
    [["0.txt", "1.txt"], ["2.txt"]],
  );
});
