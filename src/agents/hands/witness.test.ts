import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { twoMachines } from "./testing-site.ts";
import { nothing_said } from "./witness-agreed.ts";
import { needsHuman, parseTagTest, readWitness, type TagTest, witnessOf, writeWitness } from "./witness.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-witness-"));
after(() => rm(folder, { recursive: true }));
const site = twoMachines({ node1: "https://192.0.2.1", node2: "https://192.0.2.2" });
const kept = (bmc: string): TagTest => ({
  bmc,
  result: "kept",
  said: "keeps its tag over a reset",
  at: "2026-11-16T00:00:00.000Z",
});
const both = { node1: kept("https://192.0.2.1"), node2: kept("https://192.0.2.2") };

test("a witness is one only where both BMCs were seen to keep a tag", () => {
  assert.equal(witnessOf(site, both, nothing_said), "on");
  assert.equal(witnessOf({ ...site, witness: "off" }, both, nothing_said), "off");
  assert.equal(witnessOf(site, {}, nothing_said), "unproven");
  assert.equal(witnessOf(site, { node1: both.node1 }, nothing_said), "unproven");
  assert.equal(
    witnessOf(site, { ...both, node2: { ...both.node2, result: "forgot" } }, nothing_said),
    "unproven",
  );
});

test("what was seen of another BMC says nothing", () => {
  assert.equal(witnessOf(site, { ...both, node2: kept("https://192.0.2.3") }, nothing_said), "unproven");
  assert.match(needsHuman(site, { ...both, node2: kept("https://192.0.2.3") }) ?? "", /node2 was not tested/);
});

test("why a human is needed is one sentence", () => {
  assert.equal(needsHuman(site, both), undefined);
  assert.equal(
    needsHuman(site, { ...both, node2: { ...both.node2, result: "none", said: "has no AssetTag" } }),
    "starting alone needs a human: the BMC of node2 has no AssetTag",
  );
  assert.equal(
    needsHuman(site, {}),
    "starting alone needs a human: the BMC of node1 was not tested, and the BMC of node2 was not tested",
  );
  assert.match(needsHuman({ ...site, witness: "off" }, both) ?? "", /`witness: off`$/);
});

test("what is written is read; a torn or foreign file says that nothing was tested", async () => {
  const path = join(folder, "below", "witness");
  assert.deepEqual(await readWitness(path), {});
  await writeWitness(both, path);
  assert.deepEqual(await readWitness(path), both);
  for (const text of ["", "{", "[]", '{"node1":{"result":"kept"}}', '{"node1":{"result":"well"}}']) {
    await writeFile(path, text);
    assert.deepEqual(await readWitness(path), {}, text);
  }
  assert.equal(parseTagTest("testing since 2026"), undefined);
  assert.deepEqual(parseTagTest(JSON.stringify(both.node1)), both.node1);
});
