import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, test } from "node:test";
import { checkoutFolder } from "./checkout.ts";
import { duet, duetOk, on, ownLabsFolder, traces } from "./testing.ts";

ownLabsFolder();
after(async () => {
  await duet(["lab", "down", "--name", "crash"]);
});

/** Starts `lab up` and kills it, and it alone, when it says that it begins the step. */
async function killedAt(step: RegExp): Promise<void> {
  const up = spawn(join(checkoutFolder(), "duet"), ["lab", "up", "--name", "crash"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  const killed = new Promise<void>((resolve) => {
    up.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (step.test(said)) {
        up.kill("SIGKILL");
        resolve();
      }
    });
  });
  await Promise.race([killed, once(up, "exit")]);
  assert.match(said, step, "lab up ended before it came to that step");
}

/** Each line that `lab up` prints is a moment at which it may die: the step named there has just ended. */
const moments = [/✓ wires/, /✓ disks/, /✓ BMCs up/];

for (const moment of moments) {
  test(`lab up killed after "${moment.source}" leaves nothing that lab down does not take away`, async () => {
    const before = await traces();
    await killedAt(moment);
    assert.notDeepEqual(await traces(), before, "the lab was killed before it had made anything");
    await duetOk("lab", "down", "--name", "crash");
    assert.deepEqual(await traces(), before);
  });
}

test("lab up killed at arbitrary times leaves nothing either", async () => {
  const before = await traces();
  for (const after_ms of [120, 250, 400, 550, 700, 900, 1300]) {
    const up = spawn(join(checkoutFolder(), "duet"), ["lab", "up", "--name", "crash"], { stdio: "ignore" });
    const ended = once(up, "exit");
    setTimeout(() => up.kill("SIGKILL"), after_ms);
    await ended;
    await duetOk("lab", "down", "--name", "crash");
    assert.deepEqual(await traces(), before, `killed after ${after_ms} ms`);
  }
});

test("lab up after a crash cleans up first and comes up whole", async () => {
  const before = await traces();
  await killedAt(/✓ BMCs up/);
  const { status, stderr } = await duet(["lab", "up", "--name", "crash"]);
  assert.equal(status, 0, stderr);
  assert.match(stderr, /clean up what an earlier run left/);
  assert.match(await on("crash", "node1", "crm_mon", "-1"), /Online: \[ node1 node2 \]/);
  await duetOk("lab", "down", "--name", "crash");
  assert.deepEqual(await traces(), before);
});

test("a lab that stands is not touched by another up, and down twice is no error", async () => {
  await duetOk("lab", "up", "--name", "crash", "--no-wait");
  const again = await duet(["lab", "up", "--name", "crash"]);
  assert.equal(again.status, 1);
  assert.match(again.stderr, /DUET-E-LAB-EXISTS/);
  await duetOk("lab", "down", "--name", "crash");
  assert.match(await duetOk("lab", "down", "--name", "crash"), /There was no lab/);
});
