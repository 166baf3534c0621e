import assert from "node:assert/strict";
import { test } from "node:test";
import { parseScenario } from "../../src/scenario/parse.ts";
import { runScenario } from "../../src/scenario/run.ts";
import { simWorld } from "./world.ts";

const second_us = 1_000_000;
const whole = "# A\nstart both machines\nuntil 1+1\n";

async function told(text: string): Promise<readonly [string | undefined, string | undefined, boolean]> {
  const { scenario } = parseScenario(text, "a.txt");
  assert.ok(scenario);
  const { ok, steps } = await runScenario(scenario, simWorld(scenario), {
    begins: () => undefined,
    ends: () => undefined,
  });
  return [steps.at(-1)?.text, steps.at(-1)?.seen, ok];
}

test("a bound on writes is not kept where nobody wrote", async () => {
  const step = "expect each write to end in 10 seconds";
  assert.deepEqual(await told(`${whole}${step}\n`), [step, "no client has written", false]);
  const [, seen, ok] = await told(`${whole}clients write\nwait 1 second\n${step}\n`);
  assert.ok(ok && seen === "the longest write took 0.0 s", seen);
});

test("a bound that was kept when it was asked for is held against the writes that ended later", async () => {
  const asked = "clients write\nwait 1 second\nexpect each write to end in 1 second\n";
  const later = "cut the wire between the machines\nwait 20 seconds\nexpect nothing lost\n";
  assert.deepEqual(await told(`${whole}${asked}${later}`), [
    "expect nothing lost",
    "a write took longer than 1 s",
    false,
  ]);
});

for (const end of ["powerCut", "hang"] as const)
  test(`a write counts until its etcd could answer no more (${end})`, async () => {
    const { scenario } = parseScenario(`${whole}clients write\n`, "a.txt");
    assert.ok(scenario);
    const sim = simWorld(scenario);
    const { ok } = await runScenario(scenario, sim, { begins: () => undefined, ends: () => undefined });
    assert.ok(ok);
    const { stage } = sim;
    await stage.run(2 * second_us);
    const before_us = stage.load.longest_us();
    assert.ok(before_us < second_us / 2);
    // What it has from here on waits for a peer that does not answer.
    stage.world.machine(1).powerCut();
    await stage.run(second_us);
    stage.world.machine(0)[end]();
    const then_us = stage.load.longest_us();
    assert.ok(then_us > 0.8 * second_us && then_us < 1.2 * second_us, `${then_us} µs`);
    await stage.run(5 * second_us);
    assert.equal(stage.load.longest_us(), then_us);
  });
