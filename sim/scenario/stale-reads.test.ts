import assert from "node:assert/strict";
import { test } from "node:test";
import { parseScenario } from "../../src/scenario/parse.ts";
import { runScenario } from "../../src/scenario/run.ts";
import { simWorld } from "./world.ts";

async function last(...lines: readonly string[]) {
  const { scenario } = parseScenario(`# A\nstart both machines\nuntil 1+1\n${lines.join("\n")}\n`, "a.txt");
  assert.ok(scenario);
  const silent = { begins: () => undefined, ends: () => undefined };
  return (await runScenario(scenario, simWorld(scenario), silent)).steps.at(-1);
}

test("a takeover's restart is a gap in serializable reads, and the rest of the outage is none", async () => {
  const outage = ["clients write", "hang node1", "until node2 serves"];
  const gap = (machine: string, bound: string) =>
    `expect no gap in serializable reads of ${machine} over ${bound}`;
  const survivor = await last(...outage, "expect no gap in writes over 10 seconds");
  assert.equal(survivor?.ok, false, "the outage is longer");
  assert.equal((await last(...outage, gap("node2", "2 seconds")))?.ok, true);
  assert.equal((await last(...outage, gap("node2", "100 milliseconds")))?.ok, false);
  assert.equal((await last(...outage, gap("node1", "5 seconds")))?.ok, false, "it hung");
  assert.equal((await last(gap("node1", "5 seconds")))?.ok, false, "nobody reads");
});

test("clients that stopped ask nobody any more", async () => {
  const stopped = [
    "clients write",
    "wait 5 seconds",
    "stop clients",
    "cut the power of node1",
    "wait 1 minute",
  ];
  assert.equal(
    (await last(...stopped, "expect no gap in serializable reads of node1 over 1 second"))?.ok,
    true,
  );
});

test("an etcd that is gone for longer than a restart does not go on", async () => {
  const frozen = ["clients write", "freeze etcd on node2", "expect serializable reads to go on"];
  assert.equal((await last(...frozen))?.ok, false);
  const brief = [
    "clients write",
    "hang node1",
    "until node1 is proven off",
    "expect serializable reads to go on",
  ];
  assert.equal((await last(...brief))?.ok, true);
});
