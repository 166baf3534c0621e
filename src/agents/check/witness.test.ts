import assert from "node:assert/strict";
import { test } from "node:test";
import { twoMachines } from "../hands/testing-site.ts";
import type { TagTest } from "../hands/witness.ts";
import { judgeWitness } from "./witness.ts";

const site = twoMachines({ node1: "https://192.0.2.1", node2: "https://192.0.2.2" });
const seen = (bmc: string, result: TagTest["result"] = "kept", said = ""): TagTest => ({
  bmc,
  result,
  said,
  at: "2026-11-16T00:00:00.000Z",
});
const both = { node1: seen("https://192.0.2.1"), node2: seen("https://192.0.2.2") };
const judged = (node1?: Record<string, TagTest>, node2 = node1) =>
  judgeWitness(site, [
    { name: "node1", witness: node1 },
    { name: "node2", witness: node2 },
  ]);

test("nothing is said of machines that could not be asked", () => {
  assert.deepEqual(judged(), []);
});

test("proven, not proven, and given up are told apart", () => {
  assert.equal(judged(both)[0]?.mark, "ok");
  assert.match(judged(both)[0]?.detail ?? "", /tested 2026-11-16\); over a loss of their own power was not/);
  const [human] = judged({ ...both, node2: seen("https://192.0.2.2", "forgot", "forgets its tag") });
  assert.equal(human?.mark, "warn");
  assert.equal(human?.detail, "starting alone needs a human: the BMC of node2 forgets its tag");
  const [off] = judgeWitness({ ...site, witness: "off" }, []);
  assert.equal(off?.mark, "note");
});

test("two machines that do not know the same are told, whatever each knows", () => {
  const [apart] = judged(both, { ...both, node2: { ...both.node2, at: "2026-11-15T00:00:00.000Z" } });
  assert.match(apart?.detail ?? "", /node1 and node2 do not know the same of the BMC of node2/);
});

const asked = (one: "on" | "off", other: "on" | "off", apart = false) =>
  judgeWitness(site, [
    { name: "node1", witness: both, says: { witness: one, apart } },
    { name: "node2", witness: both, says: { witness: other, apart: false } },
  ]).map(({ mark, code, detail }) => [mark, code, detail]);

test("the machines' own site files are judged, and not the one at hand", () => {
  assert.equal(asked("on", "on")[0]?.[0], "ok");
  const [differ, ...more] = asked("on", "off");
  assert.deepEqual([differ?.[0], differ?.[1], more], ["fail", "DUET-E-WITNESS-APART", []]);
  assert.match(differ?.[2] ?? "", /of node1 says `witness: on`, that of node2 `witness: off`/);
  const [other] = asked("off", "off");
  assert.equal(other?.[0], "warn");
  assert.match(
    other?.[2] ?? "",
    /this site file says `witness: on`, and those on the machines `witness: off`/,
  );
});

test("one that has said `off` and may not go by the tags again yet is told", () => {
  const [human] = asked("on", "on", true);
  assert.equal(human?.[0], "warn");
  assert.match(human?.[2] ?? "", /needs a human: the site file said `witness: off` before/);
});
