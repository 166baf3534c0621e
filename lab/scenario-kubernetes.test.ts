import assert from "node:assert/strict";
import { test } from "node:test";
import { Progress } from "../src/machine/progress.ts";
import { parseScenario } from "../src/scenario/parse.ts";
import type { Scenario } from "../src/scenario/scenario.ts";
import type { Look } from "./address-looks.ts";
import { judgeAfterOff, judgeMove, judgeNeverOnBoth, judgeNotTaken } from "./scenario-address.ts";
import { lackedByLab } from "./scenario-labs.ts";
import { judgeSame, programsToKeep } from "./scenario-processes.ts";

function parsed(text: string): Scenario {
  const { scenario, problems } = parseScenario(text, "x.txt");
  assert.ok(scenario !== undefined, problems.map(({ what }) => what).join());
  return scenario;
}
const lacks = (text: string) => lackedByLab(parsed(text), new Progress()).join();

test("steps about the API need a site with Kubernetes, and the lab has one for who asks", () => {
  const story = "start both machines\nAPI clients write\nkill the API server on node1\n";
  assert.equal(lacks(`kubernetes\n${story}`), "");
  assert.match(lacks(story), /has no API: `API clients write`/);
  assert.match(lacks(story), /run no apiserver/);
});

test("steps about the address need a site that has one", () => {
  const head = "kubernetes: without address\nstart both machines\nuntil 1+1\n";
  assert.equal(lacks(`${head}API clients write\nbreak node2\nuntil node2 is marked out of service\n`), "");
  for (const step of ["cut the power of the address's holder", "expect the address on one machine"])
    assert.match(lacks(`${head}${step}\n`), /of this site has no virtual IP/);
});

test("a part that only a site with Kubernetes has is nobody's without one", () => {
  const story = "start both machines\ncut the power of the address's holder\n";
  assert.equal(lacks(`kubernetes\n${story}`), "");
  assert.match(lacks(story), /has no API: `cut the power of the address's holder`/);
});

const look = (machine: Look["machine"], at_ms: number, holds: boolean): Look => ({
  machine,
  at_ms,
  power: "on",
  holds,
});

test("a watch that saw the address on both tells when; one that did not see enough has not seen that", () => {
  const at_ms = Date.parse("2026-11-20T10:00:00Z");
  const well = [look("node1", at_ms, true), look("node2", at_ms + 50, false)];
  assert.deepEqual(judgeNeverOnBoth(well, undefined), {
    ok: true,
    seen: "by 2 looks, at most 0.0 s apart",
  });
  const both = [
    look("node1", at_ms, true),
    look("node2", at_ms + 50, true),
    look("node1", at_ms + 100, true),
  ];
  assert.deepEqual(judgeNeverOnBoth(both, undefined), { ok: false, seen: "both had it at 10:00:00.050" });
  assert.match(judgeNeverOnBoth(well, "Error: gone").seen, /^nobody looked any more: Error: gone$/);
  assert.match(judgeNeverOnBoth([], undefined).seen, /never seen on any machine/);
  const late = [...well, look("node1", at_ms + 9_000, true)];
  assert.deepEqual(judgeNeverOnBoth(late, undefined), { ok: false, seen: "nobody looked for 9.0 s" });
});

test("a move is held against its bound, and is told", () => {
  const looks = [look("node1", 0, true), look("node2", 500, false), look("node2", 1_000, true)];
  assert.deepEqual(judgeMove(looks, 100, 1_000), { ok: true, seen: "from node1 to node2 in 0.90 s" });
  assert.deepEqual(judgeMove(looks, 100, 800), { ok: false, seen: "from node1 to node2 in 0.90 s" });
  assert.equal(judgeMove(looks, 2_000, 1_000).ok, false);
  assert.equal(judgeMove(looks, undefined, 1_000).ok, false);
});

test("an address that is taken is held against the first Off that who has it has noted since", () => {
  const looks = [look("node1", 0, true), look("node2", 500, false), look("node2", 1_000, true)];
  assert.deepEqual(judgeAfterOff(looks, 100, [50, 2_000, 800]), {
    ok: true,
    seen: "on node2 0.20 s after Off was confirmed",
  });
  assert.deepEqual(judgeAfterOff(looks, 100, [1_300]), {
    ok: false,
    seen: "on node2 0.30 s before Off was confirmed",
  });
  assert.deepEqual(judgeAfterOff(looks, 100, [50]), { ok: false, seen: "node2 has noted no Off" });
  assert.equal(judgeAfterOff(looks, 2_000, [2_100]).ok, false);
  assert.equal(judgeAfterOff(looks, undefined, [800]).ok, false);
});

test("an address that is taken too late after Off is told with how late it was", () => {
  const looks = [look("node1", 0, true), look("node2", 7_000, true)];
  const seen = "on node2 5.00 s after Off was confirmed";
  assert.deepEqual(judgeAfterOff(looks, 100, [2_000], 5_000), { ok: true, seen });
  assert.deepEqual(judgeAfterOff(looks, 100, [2_000], 4_999), { ok: false, seen });
  assert.equal(judgeAfterOff(looks, 100, [2_000]).ok, true);
  assert.equal(judgeAfterOff(looks, 100, [8_000], 5_000).ok, false, "before Off is never soon enough");
});

test("an address that nobody may take is looked for on the other machine, since it was lost", () => {
  const at_ms = Date.parse("2026-11-20T10:00:00Z");
  const lost = [look("node1", at_ms, true), look("node2", at_ms + 50, false)];
  const looked = [...lost, look("node1", at_ms + 200, false), look("node2", at_ms + 250, false)];
  const judged = (looks: readonly Look[], since_ms: number | undefined = at_ms + 100, failed?: string) =>
    judgeNotTaken(looks, since_ms, failed);
  assert.deepEqual(judged(looked), { ok: true, seen: "by 1 looks at the other machine" });
  assert.deepEqual(judged([...looked, look("node2", at_ms + 350, true)]), {
    ok: false,
    seen: "node2 had it at 10:00:00.350",
  });
  assert.equal(judged([...looked, look("node1", at_ms + 300, true)]).ok, true, "it was its own");
  assert.deepEqual(judged(lost), { ok: false, seen: "nobody has looked since" });
  assert.equal(judged(looked.slice(1)).ok, false, "nobody had it");
  assert.equal(judgeNotTaken(looked, undefined, undefined).ok, false, "nothing was lost");
  assert.match(judged(looked, at_ms + 100, "Error: gone").seen, /nobody looked any more/);
});

test("a program that runs on is the same one; what did not run before proves nothing", () => {
  assert.equal(judgeSame("a1", "a1").ok, true);
  assert.match(judgeSame("a1", "b2").seen, /another one: b2, and was a1/);
  assert.deepEqual(judgeSame("a1", ""), { ok: false, seen: "it does not run" });
  assert.equal(judgeSame(undefined, "a1").ok, false);
  assert.equal(judgeSame("", "").ok, false);
  const story = [
    "start both machines",
    "kill kubelet on node1",
    "expect etcd was not restarted on node1",
    "expect etcd was not restarted on node2",
  ];
  assert.deepEqual(programsToKeep(parsed(`${story.join("\n")}\n`)), ["etcd"]);
});
