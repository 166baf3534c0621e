import assert from "node:assert/strict";
import { test } from "node:test";
import { mendedOnce, switchedByBmc, withoutEchoes } from "./echoes.ts";
import { etcdChanges, membershipChanges, onceAnEra } from "./eras.ts";
import type { Moment } from "./moment.ts";
import { membersOf } from "./names.ts";
import { readNote } from "./readers.ts";
import { foldSteps } from "./steps.ts";
import { type Line, notesOf } from "./testing-notes.ts";
import { wholeWires } from "./wires.ts";
import { acksOf, outages } from "./writes.ts";

function read(...lines: readonly Line[]): readonly Moment[] {
  const notes = notesOf(...lines);
  const members = membersOf(notes);
  return notes.flatMap((note) => readNote(note, members) ?? []);
}
const texts = (moments: readonly Moment[]) => moments.map(({ lane, text }) => `${lane}: ${text}`);

test("an etcd is told at the machine that it runs on, whatever its member's number", () => {
  const told = read(
    [1, "etcd.start", 3, 1, 0],
    [2, "etcd.role", 3, "leader", 4],
    [3, "VIOLATION", "election safety", "members 3 and 1 both lead term 4"],
  );
  assert.deepEqual(texts(told), [
    "1: etcd runs",
    "1: etcd leads, in term 4",
    "between: election safety: member 3 (node2) and member 1 both lead term 4",
  ]);
});

test("a tag is told by what it claims, a foreign one as it is", () => {
  assert.deepEqual(
    texts(read([1, "bmc.tag", 0, "duet 2 node1"], [2, "bmc.tag", 1, "asset 4711"], [3, "bmc.tag", 1, ""])),
    [
      "between: the tag on node1's BMC says epoch 2 of node1",
      "between: the tag on node2's BMC says “asset 4711”",
      "between: the tag on node2's BMC is empty",
    ],
  );
});

test("a line of a kind that nobody knows here is kept for those who look closer", () => {
  const [moment] = read([1, "weather", "rain"]);
  assert.equal(moment?.text, "weather rain 0 0");
  assert.equal(moment?.level, 4);
});

test("what a fault does at once is an echo, and what the BMC switched is one line", () => {
  const told = withoutEchoes(
    switchedByBmc(
      read(
        [1, "storm", 0, "a power cut"],
        [1, "machine", 0, "lost its power"],
        [5, "machine", 1, "lost its power"],
        [5, "bmc.power", 1, "power is off"],
      ),
    ),
  );
  assert.deepEqual(
    told.map(({ level, text }) => [level, text]),
    [
      [0, "the power of node1 is cut"],
      [4, "loses its power"],
      [1, "is switched off by its BMC"],
    ],
  );
});

test("wires are told as wires, and a BMC that had no fault does not recover", () => {
  const told = mendedOnce(
    wholeWires(
      read(
        [1, "wire.cut", "link0", 0, 1],
        [1, "wire.cut", "link0", 1, 0],
        [2, "wire.heal", "link0", 0, 1],
        [2, "wire.heal", "link0", 1, 0],
        [3, "wire.cut", "management", 0, 1],
        [3, "wire.cut", "management", 0, 2],
        [4, "bmc.fault", 0, "no fault"],
      ),
    ),
  );
  assert.deepEqual(texts(told), [
    "between: link 0 is cut",
    "between: link 0 works again",
    "between: the management port of node1 is cut",
  ]);
});

test("the same decision is told once, and again when the machine's world changed", () => {
  const rule = (seconds: number) => [seconds, "duet.rule", "node1", "R-NO-PROOF", "it waits"] as const;
  const told = onceAnEra(read(rule(1), rule(2), rule(3), [4, "corosync", 0, "0", 2], rule(5)));
  assert.deepEqual(texts(told), ["0: it waits", "0: sees only itself", "0: it waits"]);
  assert.deepEqual(told[0]?.more, ["said 3 times"]);
});

test("a start applies the whole log again: only how it stands then is told, and only if it changed", () => {
  const told = etcdChanges(
    read(
      [1, "etcd.start", 1, 0, 0],
      [1, "etcd.conf", 1, "add voter 1", "1"],
      [1, "etcd.conf", 1, "promote 2", "1 and 2"],
      [2, "etcd.role", 1, "leader", 2],
      [3, "etcd.role", 1, "follower", 2],
      [4, "etcd.conf", 1, "promote 2", "1 and 2"],
    ),
  );
  assert.deepEqual(texts(told).slice(1), [
    "0: its etcd counts node1 and member 2 as voters",
    "0: etcd leads, in term 2",
    "0: etcd leads no longer",
  ]);
});

test("who is seen is told where it changes", () => {
  const told = membershipChanges(
    read(
      [1, "machine", 0, "is up"],
      [1, "corosync", 0, "0", 1],
      [2, "corosync", 0, "0 and 1", 2],
      [3, "corosync", 0, "0 and 1", 3],
      [4, "corosync", 0, "0", 4],
    ),
  );
  assert.deepEqual(
    told.filter(({ level }) => level < 4).map(({ text }) => text),
    ["is up", "sees node2", "sees only itself"],
  );
});

test("steps of one decision are one line; what matters to the machine ends it", () => {
  const step = (seconds: number, name: string, text: string) => [seconds, "duet.step", name, text] as const;
  const told = foldSteps(
    read(
      step(1, "node1", "write the intent"),
      step(1.5, "node2", "stop etcd"),
      step(2, "node1", "start etcd"),
      [3, "corosync", 0, "0", 4],
      step(4, "node1", "read the members"),
    ),
  );
  assert.deepEqual(texts(told), [
    "0: write the intent, start etcd (2 steps, 1.0 s)",
    "1: stop etcd",
    "0: sees only itself",
    "0: read the members",
  ]);
  assert.deepEqual(told[0]?.more, ["+0.00 s write the intent", "+1.00 s start etcd"]);
});

test("an outage has a last write and a first one; the clients' end is none", () => {
  const acks = acksOf(
    notesOf(
      [1, "client.write", 1, 0, 1],
      [2, "client.write", 2, 0, 2],
      [9, "client.write", 3, 1, 3],
      [9.5, "client.read", 4, 1, 3],
    ),
  );
  assert.equal(acks.length, 3);
  assert.deepEqual(
    outages(acks).map(({ at_us, text }) => [at_us / 1e6, text]),
    [
      [2, "the last acknowledged write for 7.0 s (by node1)"],
      [9, "writes are acknowledged again, by node2, after 7.0 s"],
    ],
  );
});
