import assert from "node:assert/strict";
import { test } from "node:test";
import { failover } from "./failover.ts";

const names = [
  "power",
  "joined",
  "1+1",
  "lost",
  "detected",
  "fence asked",
  "off confirmed",
  "takeover",
  "tagged",
  "first write",
  "peer on",
  "peer back",
  "learner",
  "caught up",
  "full",
  "1+1 again",
];

for (const seed of [1, 2, 3])
  test(`a failover goes through all its phases, in order, and loses nothing (seed ${seed})`, async () => {
    const run = await failover(seed);
    assert.equal(run.broken, undefined);
    assert.deepEqual(
      run.phases.map(({ name }) => name),
      names,
    );
    const times = run.phases.map(({ at_ms }) => at_ms);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.equal(run.phases.find(({ name }) => name === "lost")?.at_ms, run.lost_ms);
    assert.ok(run.acknowledged > 100 && run.gap_ms > 0);
    assert.notEqual(run.leader, run.survivor);
    // The strip shows the same: the leader off for a while, and no write in that second.
    const lost = run.leader === "node1" ? 0 : 1;
    assert.ok(run.seconds.some(({ machines, writes }) => machines[lost] === "off" && writes === 0));
    assert.deepEqual(run.seconds.at(-1)?.machines, ["voter", "voter"]);
    assert.deepEqual(await failover(seed), run);
  });
