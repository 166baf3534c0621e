import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ownKnown } from "./known.ts";
import { memoryOf, OutletMemory } from "./outlet-memory.ts";
import { twoMachines } from "./testing-site.ts";
import { Ways } from "./ways.ts";

const site = twoMachines({
  node1: "https://203.0.113.1",
  node2: "https://203.0.113.2",
  pdu: ["https://203.0.113.3", "https://203.0.113.3"],
});
const [, node2] = site.machines;
assert.ok(node2 !== undefined);
const [one, other] = node2.pdus;
assert.ok(one !== undefined && other !== undefined);

test("an outlet answers where its last answer was good and told by what it is switched", () => {
  const memory = new OutletMemory(ownKnown());
  assert.equal(memory.answers(one), false);
  memory.note(one, true, undefined);
  assert.equal(memory.answers(one), false, "it can't be switched");
  memory.note(one, true, "/x");
  assert.deepEqual([memory.answers(one), memory.target(one)], [true, "/x"]);
  assert.deepEqual([memory.answers(other), memory.target(other)], [false, undefined], "another of this PDU");
  memory.note(one, false, undefined);
  assert.deepEqual([memory.answers(one), memory.target(one)], [false, "/x"]);
});

test("by what it is switched a later process knows; that it answers each has to see for itself", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-outlets-"));
  try {
    const at = (name: string) => join(folder, name);
    const files = {
      assetTags: at("a"),
      witness: at("w"),
      witnessSeen: at("s"),
      witnessSaid: at("d"),
      tagTest: at("t"),
    };
    const ways = (run: string) => new Ways({ site, me: "node1", folder, files: { ...files, run: at(run) } });
    const first = ways("run");
    memoryOf(first).note(one, true, "/x");
    assert.equal(memoryOf(first).answers(one), true, "one memory for all that these ways do");
    const later = memoryOf(ways("run"));
    assert.deepEqual([later.target(one), later.answers(one)], ["/x", false]);
    assert.deepEqual(await readdir(at("run")), ["outlet-targets"]);
    assert.equal(memoryOf(ways("next-boot")).target(one), undefined);
  } finally {
    await rm(folder, { recursive: true });
  }
});
