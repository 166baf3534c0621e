import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runsInLab } from "../../lab/scenario-labs.ts";
import { moments_here } from "../../lab/scenario-moments.ts";
import { Progress } from "../machine/progress.ts";
import { formatScenario } from "./format.ts";
import { parseScenario } from "./parse.ts";
import { type Kind, phrases } from "./phrases.ts";

const folder = join(import.meta.dirname, "..", "..", "scenarios");
const files = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
const parsed = files.map(({ name, text }) => ({ name, text, ...parseScenario(text, `scenarios/${name}`) }));

test("every scenario is understood and formatted, has a title and a reason, and says its worlds", () => {
  for (const { name, text, scenario, problems } of parsed) {
    assert.deepEqual(problems, []);
    assert.match(name, /^[a-z0-9-]+\.txt$/);
    assert.equal(formatScenario(text), text, `run: duet scenario format scenarios/${name}`);
    assert.ok(scenario !== undefined && scenario.header.title !== "" && scenario.header.why !== "", name);
    assert.match(text, /^worlds: /m, name);
  }
});

test("no two scenarios have one title, or the same steps", () => {
  const seen = new Map<string, string>();
  for (const { name, scenario } of parsed) {
    const { header } = scenario ?? { header: undefined };
    const story = JSON.stringify([scenario?.steps.map(({ text }) => text), header?.pdu, header?.bmc]);
    for (const key of [header?.title ?? "", story]) {
      assert.equal(seen.get(key), undefined, `${name} repeats ${seen.get(key)}`);
      seen.set(key, name);
    }
  }
});

test("a story that should lose nothing says so, and one with moments is the simulator's, and the lab's where it can be", () => {
  for (const { name, text, scenario } of parsed) {
    const accepts = /accepting the loss|chooses the data/.test(text);
    if (/^clients write/m.test(text) && !accepts) assert.match(text, /^expect nothing lost$/m, name);
    if (text.includes("API clients write"))
      assert.match(text, /^expect the API's history whole( but for 410 Gone)?$/m, name);
    if (scenario?.header.kubernetes === true) {
      assert.deepEqual(scenario.header.worlds, ["lab"], name);
      assert.match(text, /^expect the address was never on both machines$/m, name);
    }
    const moments = scenario?.steps.flatMap(({ at }) => (at === undefined ? [] : [at])) ?? [];
    if (moments.length === 0) continue;
    const inLab = moments.every((moment) => moments_here.has(moment));
    assert.deepEqual(scenario?.header.worlds, inLab ? ["sim", "lab"] : ["sim"], name);
  }
});

test("the files of the seeds' timelines are there, and those that run in the lab today", () => {
  const names = files.map(({ name }) => name.replace(".txt", ""));
  const seeds = [
    "cold-boot",
    "network-failure",
    "node-failure",
    "two-failures",
    "kubelet-failure",
    "etcd-failure",
  ];
  for (const name of [...seeds, "stale-first"]) assert.ok(names.includes(name), name);
  const here = parsed.flatMap(({ scenario }) =>
    scenario !== undefined && runsInLab(scenario, new Progress()) ? [scenario] : [],
  );
  assert.ok(here.length >= 5);
  assert.ok(here.filter(({ header }) => header.ci).length >= 2);
});

test("a phrase that no scenario uses is a phrase that nobody tried", () => {
  const used = new Set<Kind>(
    parsed.flatMap(({ scenario }) => scenario?.steps.map(({ ask }) => ask.kind) ?? []),
  );
  const unused = Object.keys(phrases).filter((kind) => ![...used].some((each) => each === kind));
  assert.deepEqual(unused, []);
});
