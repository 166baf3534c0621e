import assert from "node:assert/strict";
import { test } from "node:test";
import { Attributes } from "./attributes.ts";
import { Corosync, corosyncTimes } from "./corosync.ts";
import { Kernel } from "./kernel/kernel.ts";
import { label } from "./kernel/label.ts";
import { Life } from "./kernel/life.ts";
import { Wire } from "./wire.ts";

function pair(seed = 1) {
  const kernel = new Kernel({ seed });
  const links = [new Wire(kernel, "link0", 2), new Wire(kernel, "link1", 2)];
  const corosync = new Corosync(kernel, links);
  const attributes = new Attributes(corosync);
  const lives = [new Life(), new Life()];
  const seen: string[] = [];
  for (const machine of [0, 1])
    corosync.onView(machine, (view) =>
      seen.push(`${machine}: ${view.members.join("+")}${view.quorate ? " quorate" : ""}`),
    );
  const start = (machine: number) => {
    const life = new Life();
    lives[machine] = life;
    corosync.start(machine, life);
  };
  const run = (seconds: number) => kernel.runSync(kernel.now_us + seconds * 1_000_000);
  const cut = () => {
    for (const link of links) link.cutBoth(0, 1);
  };
  const heal = () => {
    for (const link of links) link.healBoth(0, 1);
  };
  return { kernel, links, corosync, attributes, seen, start, run, cut, heal };
}

const flapTime = label("test.flap");
const both = (machine: number) => `${machine}: 0+1 quorate`;

test("a lone starter waits for all; both together are quorate; one left alone stays so", () => {
  const { corosync, seen, start, run } = pair();
  start(0);
  run(60);
  assert.deepEqual(seen, ["0: 0"]);
  assert.equal(corosync.view(0).waiting, true);
  start(1);
  run(5);
  assert.deepEqual(seen.slice(2).toSorted(), [both(0), both(1)]);
  corosync.dead(1);
  run(5);
  assert.equal(seen.at(-1), "0: 0 quorate");
});

test("a lone starter gets quorum by cancel_wait_for_all, and only that one", () => {
  const { corosync, start, run } = pair();
  start(0);
  run(5);
  corosync.cancelWaitForAll(0);
  assert.equal(corosync.view(0).quorate, true);
  corosync.dead(0);
  start(0);
  assert.equal(corosync.view(0).quorate, false);
});

test("a loss is seen after token and consensus, by each side in its own time, and a short gap not at all", () => {
  const { kernel, corosync, seen, start, run, cut, heal } = pair(3);
  start(0);
  start(1);
  run(5);
  const count = seen.length;
  cut();
  run(1);
  heal();
  run(5);
  assert.equal(seen.length, count, "a second is less than a token");
  cut();
  const cut_us = kernel.now_us;
  run((corosyncTimes.token_us + corosyncTimes.consensus_us) / 1e6 - 0.01);
  assert.equal(seen.length, count);
  run(1);
  assert.deepEqual(seen.slice(count).toSorted(), ["0: 0 quorate", "1: 1 quorate"]);
  assert.ok(kernel.now_us - cut_us < 4_000_000);
  heal();
  run(2);
  assert.deepEqual(seen.slice(count + 2).toSorted(), [both(0), both(1)]);
  assert.equal(corosync.view(0).ring, corosync.view(1).ring);
});

test("one link is enough; a link that works one way is none", () => {
  const { links, seen, start, run } = pair();
  start(0);
  start(1);
  run(5);
  const count = seen.length;
  links[0]?.cutBoth(0, 1);
  run(10);
  assert.equal(seen.length, count);
  links[1]?.cut(0, 1);
  run(10);
  assert.deepEqual(seen.slice(count).toSorted(), ["0: 0 quorate", "1: 1 quorate"]);
});

test("a goodbye is known at once", () => {
  const { corosync, seen, start, run } = pair();
  start(0);
  start(1);
  run(5);
  corosync.stop(1);
  run(0.1);
  assert.equal(seen.at(-1), "0: 0 quorate");
});

test("a hung machine is lost; when it goes on it finds itself alone first", () => {
  const { corosync, seen, start, run } = pair();
  start(0);
  start(1);
  run(5);
  const count = seen.length;
  corosync.freeze(1, true);
  run(5);
  assert.deepEqual(seen.slice(count), ["0: 0 quorate"]);
  corosync.freeze(1, false);
  run(2);
  assert.equal(seen[count + 1], "1: 1 quorate");
  assert.deepEqual(seen.slice(count + 2).toSorted(), [both(0), both(1)]);
});

test("attributes reach the other, go with the membership, and come again with the next", () => {
  const { attributes, corosync, start, run, cut, heal } = pair();
  start(0);
  start(1);
  run(5);
  attributes.set(0, "facts", "a");
  assert.equal(attributes.get(1, 0, "facts"), undefined, "not at once");
  run(1);
  assert.equal(attributes.get(1, 0, "facts"), "a");
  cut();
  run(5);
  assert.equal(attributes.get(1, 0, "facts"), undefined);
  attributes.set(0, "facts", "b");
  heal();
  run(2);
  assert.equal(attributes.get(1, 0, "facts"), "b");
  corosync.dead(0);
  attributes.dead(0);
  run(5);
  start(0);
  run(5);
  assert.equal(attributes.get(1, 0, "facts"), undefined, "a boot forgets");
});

test("links that flap leave one ring in the end, and it stays", () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const { kernel, corosync, seen, start, run, cut, heal } = pair(seed);
    start(0);
    start(1);
    run(3);
    for (let flaps = 0; flaps < 6; flaps += 1) {
      cut();
      run(1.5 + kernel.choices.jitter(flapTime, 1_500) / 1_000);
      heal();
      run(0.1 + kernel.choices.jitter(flapTime, 1_500) / 1_000);
    }
    run(5);
    const { length } = seen;
    run(10);
    // Each side that looked for the other made it alone first, and so on, for ever.
    assert.deepEqual(seen.slice(length), [], `seed ${seed}`);
    assert.equal(corosync.view(0).ring, corosync.view(1).ring);
    assert.deepEqual(corosync.view(0).members, [0, 1]);
  }
});
