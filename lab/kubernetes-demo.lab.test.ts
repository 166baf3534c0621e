import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Progress } from "../src/machine/progress.ts";
import { demoLab } from "./demo.ts";
import { demoKubernetes, kubernetesUp } from "./demo-kubernetes.ts";
import { takeDown } from "./down.ts";
import type { Lab } from "./folder.ts";
import { lockedLab } from "./lock.ts";
import { ownLabsFolder } from "./testing.ts";
import { assertWholeStory } from "./testing-story.ts";

/** The second part of `npm start` by itself: the command has no flag for it, and would show the first part once more. */
ownLabsFolder();
const progress = new Progress();
let lab: Lab | undefined;

before(async () => {
  lab = await lockedLab(demoLab, () => kubernetesUp(progress));
});
after(async () => {
  await takeDown(demoLab);
});

test("the demo loses the machine that leads etcd and has the API's address, and clients of the API lose nothing", async () => {
  assert.ok(lab !== undefined);
  const { failover, clients, held } = await demoKubernetes(lab, progress);
  assert.deepEqual(clients.problems, []);
  // Four seconds of writes at least, and an outage between them.
  assert.ok(clients.acknowledged >= 80, `${clients.acknowledged} writes`);
  assert.ok(clients.gap_ms > 1_000, `${clients.gap_ms} ms`);
  assert.deepEqual(held, [failover.gone, failover.survivor]);
  assertWholeStory(failover);
});
