import assert from "node:assert/strict";
import { test } from "node:test";
import { membersOf } from "./names.ts";
import { readNote } from "./readers.ts";
import { besides, blowLines, blowsOf, settingOf } from "./schedule.ts";
import { type Line, notesOf } from "./testing-notes.ts";
import { wholeWires } from "./wires.ts";

function blows(...lines: readonly Line[]): readonly string[] {
  const notes = notesOf(...lines);
  const moments = wholeWires(notes.flatMap((note) => readNote(note, membersOf(notes)) ?? []));
  return blowsOf(notes, blowLines(moments)).map(({ text }) => text);
}

test("a fault is told with its length, which only the end in the trace knows", () => {
  assert.deepEqual(
    blows(
      [10, "storm", 1, "a power cut"],
      [10, "machine", 1, "lost its power"],
      [12, "storm", 0, "both links are cut"],
      [12, "wire.cut", "link0", 0, 1],
      [12, "wire.cut", "link1", 0, 1],
      [15, "machine", 1, "has power"],
      [24, "wire.heal", "link0", 0, 1],
      [24, "wire.heal", "link1", 0, 1],
      [30, "storm", 0, "the BMC is unreachable"],
      [30, "bmc.fault", 0, "unreachable"],
    ),
    [
      "the power of node2 is cut, node2 on again after 5 s",
      "both links are cut, for 12 s",
      "the BMC of node1 is unreachable",
    ],
  );
});

test("what strikes a machine that is off already changes nothing, and is told so", () => {
  assert.deepEqual(
    blows(
      [1, "storm", 0, "a power cut"],
      [1, "machine", 0, "lost its power"],
      [2, "storm", 0, "a power cut"],
      [3, "corosync", 1, "1", 4],
    ),
    ["the power of node1 is cut", "the power of node1 is cut, which changes nothing at once"],
  );
});

test("a trap that snaps later is a blow of its own; what comes after the faults is none", () => {
  assert.deepEqual(
    blows(
      [1, "storm", 0, "a power cut"],
      [1, "machine", 0, "lost its power"],
      [9, "wire.cut", "link1", 0, 1],
      [9.0005, "wire.cut", "link0", 0, 1],
      [20, "storm.whole", "the faults are over"],
      [30, "machine", 1, "lost its power"],
    ),
    ["the power of node1 is cut", "link 1 from node1 to node2 is cut and link 0 from node1 to node2 is cut"],
  );
});

test("what else the dice did is counted, with a name or with its label", () => {
  const choice = (label: string, nth: number) => ({ label, nth, value: 1 });
  assert.deepEqual(
    besides([
      choice("wire.fate", 1),
      choice("wire.fate", 2),
      choice("storm.what", 0),
      choice("new.label", 3),
    ]),
    ["2 messages lost, doubled or late", "1 new.label"],
  );
  assert.equal(settingOf(notesOf([0, "storm.kind", "plain"])), undefined);
  assert.equal(settingOf(notesOf([0, "storm.kind", "no power strip"])), "no power strip");
});
