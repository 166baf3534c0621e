import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Told } from "../record/entry.ts";
import { failovers } from "../record/failover.ts";
import { parseRecord } from "../record/read.ts";
import { replay } from "../record/replay.ts";
import { phase_names } from "../record/timeline.ts";
import { type Loss, recordedFailover } from "./testing-records.ts";
import { differences, firsts, happenedBy, happenedInSim, type Model, modelOf } from "./testing-sequence.ts";

/** What both machines recorded of a failover in the lab, each story in a folder of its name. */
const folder = join(import.meta.dirname, "..", "..", "lab", "recordings");
const stories = ["cut", "hang", "wire"] as const satisfies readonly Loss[];

const recorded = (story: string): readonly Told[] =>
  readdirSync(join(folder, story)).flatMap((file) => {
    const { entries, damage, cut } = parseRecord(readFileSync(join(folder, story, file), "utf8"), file);
    assert.deepEqual([damage, cut], [[], []]);
    return entries;
  });

/**
 * Where the lab's Pacemaker is known to differ from the model. Duet takes every notification for a wake and nothing else, so none of
 * these can change a decision; each must be seen in some recording, or it does not belong here.
 */
const known: readonly RegExp[] = [
  // The warnings wait for the fence.
  /^(Pacemaker: off done|off confirmed) before Pacemaker: pre-(demote|stop):/,
  // All of demote comes before all of stop.
  /^Pacemaker: post-demote before Pacemaker: pre-stop:/,
  // Nothing orders duet's looks and Pacemaker's promotion: one recording has it this way, another has it that way.
  /^(1\+1 before Pacemaker: (pre-promote|promote there|post-promote)|Pacemaker: (pre-promote|promote there|post-promote) before 1\+1):/,
];

/** What several runs in the simulator have in common, and the survivor's steps that each of them has. */
interface Modelled extends Model {
  readonly steps: ReadonlySet<string>;
}

/** Made once for all tests. */
const models = {
  made: new Map<Loss, Promise<Modelled>>(),
  get(story: Loss): Promise<Modelled> {
    const model = this.made.get(story) ?? modelled(story);
    this.made.set(story, model);
    return model;
  },
};

async function modelled(story: Loss): Promise<Modelled> {
  const runs: ReadonlyMap<string, number>[] = [];
  const steps: ReadonlySet<string>[] = [];
  for (let seed = 1; seed <= 6; seed++) {
    const { records, lost_ms, trace } = await recordedFailover(seed, 1, story, true);
    runs.push(firsts(happenedInSim(trace, records.machines[0], 0, lost_ms)));
    const { entries } = parseRecord(records.text(0), "node1");
    const { truth_ms } = records.machines[0];
    steps.push(stepsOf(entries.filter((_, index) => (truth_ms[index] ?? 0) >= lost_ms)));
  }
  const [first = new Set<string>()] = steps;
  const always = [...first].filter((step) => steps.every((each) => each.has(step)));
  return { ...modelOf(runs), steps: new Set(always) };
}

const stepsOf = (entries: readonly Told[]): ReadonlySet<string> =>
  new Set(
    entries.flatMap((entry) => (entry.kind === "step" && entry.machine === "node1" ? [entry.step] : [])),
  );

/** The survivor's, from the loss that the recording is about. */
function happened(story: string): ReadonlyMap<string, number> {
  const all = happenedBy(recorded(story), "node1", "node2");
  const lost = all.findIndex(({ what }) => what === "apart");
  assert.ok(lost >= 0);
  return firsts(all.slice(lost));
}

for (const story of stories) {
  test(`recorded in the lab, ${story}: every decision is made again, by the same rule`, () => {
    const { decisions, differences: found, rules } = replay(recorded(story));
    assert.deepEqual(found, []);
    assert.ok(decisions >= 8, `${decisions} decisions`);
    for (const rule of ["R-FENCE", "R-TAKE-OVER", "R-JOIN"]) assert.ok(rules.has(rule), rule);
  });

  test(`recorded in the lab, ${story}: every phase has its time, and they are in order`, () => {
    const [failover] = failovers(recorded(story), 1);
    assert.ok(failover !== undefined);
    assert.deepEqual([failover.survivor, failover.gone, failover.missing], ["node1", "node2", []]);
    const times = failover.phases.map(({ at_ms }) => at_ms ?? Number.NaN);
    assert.equal(times.length, phase_names.length);
    assert.ok(!times.some(Number.isNaN), JSON.stringify(failover.phases));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
  });

  test(`recorded in the lab, ${story}: Corosync, Pacemaker and duet did it in an order that the simulator knows`, async () => {
    const found = differences(await models.get(story), happened(story));
    assert.deepEqual(
      found.filter((each) => !known.some((difference) => difference.test(each))),
      [],
    );
  });
}

test("a recording has every step that each failover has", async () => {
  const lacked = new Set<string>();
  for (const story of stories) {
    const { steps } = await models.get(story);
    assert.ok(steps.size >= 15);
    const has = stepsOf(recorded(story));
    for (const step of steps) if (!has.has(step)) lacked.add(step);
  }
  assert.deepEqual([...lacked], [], "make them anew: sh scripts/with-node scripts/recordings.ts");
});

test("what is known to differ from the model does differ", async () => {
  const found = new Set<string>();
  for (const story of stories)
    for (const each of differences(await models.get(story), happened(story))) found.add(each);
  for (const difference of known)
    assert.ok(
      [...found].some((each) => difference.test(each)),
      String(difference),
    );
});

test("a recording in an order that the model does not have is found", () => {
  const model = modelOf([
    new Map([
      ["apart", 1],
      ["takeover begins", 2],
      ["serves alone", 3],
    ]),
    new Map([
      ["apart", 5],
      ["takeover begins", 7],
      ["serves alone", 8],
      ["together", 9],
    ]),
  ]);
  assert.deepEqual(
    differences(
      model,
      new Map([
        ["serves alone", 1],
        ["takeover begins", 2],
        ["1+1", 3],
      ]),
    ),
    [
      "apart: always in the model, not recorded",
      "1+1: recorded, never in the model",
      "serves alone before takeover begins: recorded, never in the model",
    ],
  );
});
