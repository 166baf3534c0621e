import assert from "node:assert/strict";
import { test } from "node:test";
import { firstOnBoth, hasAddress, lived, longestBlind_ms, type Look, moveAfter } from "./address-looks.ts";

/** Looks at node1 and node2 in turn, 50 ms apart: `H` has it, `.` has not, `h` hangs with it, `-` is off. */
const looks = (pattern: string): readonly Look[] =>
  pattern.split("").map((sign, index) => ({
    machine: index % 2 === 0 ? "node1" : "node2",
    at_ms: index * 50,
    power: sign === "-" ? "off" : sign === "h" ? "hung" : "on",
    holds: sign === "H" || sign === "h",
  }));

test("what ip says of an address: on no interface, on one, and without words", () => {
  const some = [{ ifname: "link1", addr_info: [{ local: "192.0.2.10" }] }];
  assert.equal(hasAddress(JSON.stringify(some)), true);
  assert.equal(hasAddress(JSON.stringify([{}, { ifname: "lo", addr_info: [] }])), false);
  assert.equal(hasAddress("[]\n"), false);
  assert.equal(hasAddress(""), false);
  assert.throws(() => hasAddress("no JSON"));
});

test("an address that moves is never on both; one that the other has while the first keeps it is", () => {
  assert.equal(firstOnBoth(looks("H.H.H.....H.")), undefined);
  assert.equal(firstOnBoth(looks("H.H.H..H.H.H")), undefined);
  // Seen here, then there: it may have moved between the two looks.
  assert.equal(firstOnBoth(looks("H.H.HH.H.H.H")), undefined);
  assert.deepEqual(firstOnBoth(looks("H.H.HHHH.H.H"))?.at_ms, 5 * 50);
  assert.equal(firstOnBoth(looks("H.H.HHH."))?.machine, "node2");
});

test("one that hangs has it until it is off, and who takes it before that is seen", () => {
  assert.equal(firstOnBoth(looks("h.h.h.-.-H-H")), undefined);
  assert.equal(firstOnBoth(looks("h.h.hHhH-H-H"))?.machine, "node2");
});

test("a move is timed until the other has it, from a moment in which somebody had it", () => {
  const story = looks("H.H.H.....H....H.H");
  assert.deepEqual(moveAfter(story, 520), { from: "node1", to: "node2", after_ms: 15 * 50 - 520 });
  assert.equal(moveAfter(looks("H.H.H.H."), 100), undefined);
  assert.equal(moveAfter(looks("....H."), 100), undefined);
});

test("a machine lived where each look from before to after saw it on", () => {
  const story = looks("H.H.h.h.-.-.H.H.");
  assert.equal(lived(story, "node1", 0, 90), true);
  // The look after the end saw it hang.
  assert.equal(lived(story, "node1", 0, 150), false);
  assert.equal(lived(story, "node1", 450, 550), false);
  assert.equal(lived(story, "node1", 600, 5_000), true);
  assert.equal(lived(story, "node2", 0, 5_000), true);
  assert.equal(lived([], "node1", 0, 100), false);
});

test("the longest time without a look counts for each machine", () => {
  assert.equal(longestBlind_ms(looks("H.H.")), 100);
  const [first, second] = looks("H.");
  assert.ok(first !== undefined && second !== undefined);
  assert.equal(longestBlind_ms([first, second, { ...first, at_ms: 700 }]), 700);
  assert.equal(longestBlind_ms([]), 0);
});
