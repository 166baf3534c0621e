import assert from "node:assert/strict";
import { test } from "node:test";
import { empty, type Holding } from "../decide/facts.ts";
import { done, type Effects } from "./effects.ts";
import { loneStart } from "./lone-start.ts";
import { runSteps } from "./steps.ts";
import { fast, FakeWorld, logOf, pick } from "./testing.ts";

const lineage = { epoch: 5, owner: "b" };
const voter: Holding = { ...empty, data: true, standing: "voter", lineage, full: true };

test("a lone machine waits its delay before each way, and not between the outlets of one", async () => {
  const world = new FakeWorld();
  world.state = { ...pick(voter), turn: 1 };
  world.log = { ...logOf(voter), committed: false };
  world.peer = { ...world.peer, member: false, on: false, holding: voter };
  world.tags = { mine: lineage, theirs: lineage };
  world.boot = { ...world.boot, heard: false, proven: false, quorum: false };
  const said: string[] = [];
  const { effects } = world;
  const bmc: Effects["bmc"] = {
    ...effects.bmc,
    offWays: [["outlet 1", "outlet 2"]],
    commandOff: async (at) => {
      said.push(at);
      return done;
    },
  };
  const pause = async (ms: number) => {
    if (ms >= fast.turn_ms) said.push("waits");
  };
  assert.deepEqual(await runSteps(loneStart({ ...effects, bmc, pause }, fast)), { done: true });
  assert.deepEqual(said, ["waits", "outlet 1", "outlet 2"]);
});
