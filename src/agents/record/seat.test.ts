import assert from "node:assert/strict";
import { test } from "node:test";
import { DuetError, exit } from "../../base/problem.ts";
import { encode, firstLine } from "../../record/encode.ts";
import { stampAt } from "../../record/testing.ts";
import { twoMachines } from "../hands/testing-site.ts";
import { type Answer, recordsFromSeat } from "./seat.ts";

const site = twoMachines({ node1: "203.0.113.1", node2: "203.0.113.2" });

const record = (machine: string): Answer => ({
  ok: true,
  text: firstLine(machine) + encode(stampAt(5, { machine }), { kind: "event", event: "1+1", detail: {} }),
});
const away: Answer = { ok: false, why: "no ssh on 192.0.2.12" };

test("both machines' records are one, each with its machine for a file", async () => {
  const { entries, files, silent, damage } = await recordsFromSeat({ site }, async ({ name }) =>
    record(name),
  );
  assert.deepEqual(
    entries.map(({ machine, file }) => [machine, file]),
    [
      ["node1", "node1"],
      ["node2", "node2"],
    ],
  );
  assert.deepEqual([files, silent.size, damage], [["node1", "node2"], 0, []]);
});

test("a machine that is away is told, and the other's record is there", async () => {
  const { entries, silent } = await recordsFromSeat({ site }, async ({ name }) =>
    name === "node2" ? away : record(name),
  );
  assert.equal(entries.length, 1);
  assert.deepEqual([...silent], [["node2", "no ssh on 192.0.2.12"]]);
});

test("without any there is nothing to tell: status 3, with the reason of each", async () => {
  await assert.rejects(
    recordsFromSeat({ site }, async () => away),
    (error) =>
      error instanceof DuetError &&
      error.status === exit.notHere &&
      /node1: no ssh .*; node2: no ssh /.test(error.problems[0]?.what ?? ""),
  );
});

test("what a machine sends that is no record is refused, with the machine's name", async () => {
  await assert.rejects(
    recordsFromSeat({ site }, async () => ({ ok: true, text: "hello\n" })),
    (error) => error instanceof DuetError && error.problems[0]?.where === "node1",
  );
});
