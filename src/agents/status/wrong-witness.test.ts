import assert from "node:assert/strict";
import { test } from "node:test";
import { judge } from "./judge.ts";
import { known, type Report } from "./report.ts";
import { fromMachine, fromSeat, loneReport, wholeReport } from "./testing.ts";

type Witness = Report["witness"];
const told = (one: Witness, other: Witness) =>
  judge(
    fromSeat(
      known(wholeReport("node1", one === undefined ? {} : { witness: one })),
      known(wholeReport("node2", other === undefined ? {} : { witness: other })),
    ),
  ).wrong.map(({ code, where, what }) => [code, where, what.slice(0, 82)]);
const found = [
  "DUET-E-WITNESS-APART",
  "shop",
  "the site file of node1 says `witness: off`, that of node2 `witness: on`: both mach",
];

test("a pair at 1+1 whose site files differ about the witness is not well", () => {
  assert.deepEqual(told({ mine: "on", peer: "on" }, { mine: "on", peer: null }), []);
  assert.deepEqual(told({ mine: "off", peer: "on" }, { mine: "on", peer: "off" }), [found]);
  // Heard long ago, and not so any more.
  assert.deepEqual(told({ mine: "off", peer: "on" }, { mine: "off", peer: "on" }), []);
});

test("of a machine that does not tell, what the other has heard of it counts", () => {
  assert.deepEqual(told({ mine: "off", peer: "on" }, undefined), [found]);
  assert.deepEqual(told({ mine: "off", peer: null }, undefined), []);
  assert.deepEqual(told(undefined, undefined), []);
  const lone = judge(fromMachine(loneReport([], { witness: { mine: "off", peer: "on" } }), {}));
  assert.ok(lone.wrong.some(({ code }) => code === "DUET-E-WITNESS-APART"));
});
