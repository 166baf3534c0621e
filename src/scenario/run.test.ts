import assert from "node:assert/strict";
import { test } from "node:test";
import { DuetError, exit, fail } from "../base/problem.ts";
import { parseScenario } from "./parse.ts";
import { runScenario, type StepReport } from "./run.ts";
import type { Scenario, WorldName } from "./scenario.ts";
import type { MachineName, Moment } from "./slots.ts";
import type { Doing, ScenarioWorld, Seen } from "./world.ts";

const done: Seen = { ok: true, seen: "" };

function scenario(...lines: readonly string[]): Scenario {
  const parsed = parseScenario(`${lines.join("\n")}\n`, "story.txt");
  assert.deepEqual(parsed.problems, []);
  assert.ok(parsed.scenario !== undefined);
  return parsed.scenario;
}

/** Two machines and a clock in memory. Each deed takes a second; whoever has power and is first serves. */
class Memory implements ScenarioWorld {
  readonly name: WorldName = "sim";
  readonly time = "virtual";
  readonly log: string[] = [];
  readonly on = new Set<MachineName>();
  leader: MachineName = "node2";
  #ms = 0;
  readonly #armed: { readonly moment: Moment; readonly act: () => Promise<Seen> }[] = [];

  readonly now_ms = () => this.#ms;
  readonly roles = {
    "the leader": () => Promise.resolve(this.leader),
    "the survivor": () => Promise.resolve(this.on.size === 1 ? [...this.on][0] : undefined),
  };
  readonly unmet = () => this.#armed.map(({ moment }) => moment);

  readonly does: Doing = {
    "start-both": () => this.#did("start both", () => this.on.add("node1").add("node2")),
    "cut-power": ({ machine }) => this.#did(`cut ${machine}`, () => this.on.delete(machine)),
    "cut-wire": ({ wire }) => this.#did(`cut ${wire}`, () => this.on.delete("node2")),
    "power-on": ({ machine }) => this.#did(`on ${machine}`, () => this.on.add(machine)),
    "until-serves": async ({ machine }) => {
      await this.#did(`serves ${machine}`, () => undefined);
      return { ok: this.on.has(machine), seen: `${this.on.size} on` };
    },
    "expect-one-on": () => Promise.resolve({ ok: this.on.size === 1, seen: `${this.on.size} on` }),
    "until-1+1": async () => {
      for (const { act } of this.#armed.splice(0)) await act();
      return done;
    },
    hang: () => fail("DUET-E-LAB-POWER", "node1", "it has no power", "power it on"),
    wait: () => Promise.reject(new TypeError("a bug")),
  };

  readonly arm = (moment: Moment, act: () => Promise<Seen>): Promise<Seen> => {
    this.#armed.push({ moment, act });
    return Promise.resolve(done);
  };

  #did(what: string, work: () => unknown): Promise<Seen> {
    this.#ms += 1000;
    this.log.push(what);
    work();
    return Promise.resolve(done);
  }
}

async function play(story: Scenario, world: ScenarioWorld) {
  const told: StepReport[] = [];
  const begun: number[] = [];
  const result = await runScenario(story, world, {
    begins: ({ line }) => begun.push(line),
    ends: (step) => told.push(step),
  });
  assert.deepEqual(told, result.steps);
  assert.equal(begun.length, told.length);
  return result;
}

test("steps are taken in order, each with its time and the machine that a role fell to", async () => {
  const world = new Memory();
  const { ok, steps } = await play(
    scenario(
      "start both machines",
      "cut the power of the leader",
      "until the survivor serves",
      "expect exactly one machine is on",
      "power on the peer",
    ),
    world,
  );
  assert.ok(ok);
  assert.deepEqual(world.log, ["start both", "cut node2", "serves node1", "on node2"]);
  assert.deepEqual(
    steps.map(({ line, machine, from_ms, to_ms }) => [line, machine, from_ms, to_ms]),
    [
      [1, undefined, 0, 1000],
      [2, "node2", 1000, 2000],
      [3, "node1", 2000, 3000],
      [4, undefined, 3000, 3000],
      [5, "node2", 3000, 4000],
    ],
  );
});

test("after a cut wire the world says who is left; the peer is the other one", async () => {
  const world = new Memory();
  const { ok } = await play(
    scenario("start both machines", "cut the wire between the machines", "power on the peer"),
    world,
  );
  assert.ok(ok);
  assert.equal(world.log.at(-1), "on node2");
});

test("the first step that fails ends the run, with its line and what was seen instead", async () => {
  const world = new Memory();
  const { ok, steps, problems } = await play(
    scenario("start both machines", "", "expect exactly one machine is on", "cut the power of node1"),
    world,
  );
  assert.equal(ok, false);
  assert.equal(steps.length, 2);
  assert.deepEqual(world.log, ["start both"]);
  assert.deepEqual(
    problems.map(({ code, where, what }) => [code, where, what]),
    [["DUET-E-SCENARIO-FAILED", "story.txt:3:1", "`expect exactly one machine is on` failed: 2 on"]],
  );
});

test("what a user can mend is a failed step; a bug of duet's stays one", async () => {
  const failed = await play(scenario("hang node1"), new Memory());
  assert.match(failed.problems[0]?.what ?? "", /it has no power/);
  await assert.rejects(play(scenario("wait 1 second"), new Memory()), TypeError);
});

test("a step that the world can't do, and a role that it can't tell, is said before anything is done", async () => {
  const world = new Memory();
  const story = scenario("start both machines", "kill etcd on node1", "cut the power of the follower");
  await assert.rejects(play(story, world), (error) => {
    assert.ok(error instanceof DuetError);
    assert.equal(error.status, exit.notHere);
    assert.deepEqual(
      error.problems.map(({ code, where }) => [code, where]),
      [
        ["DUET-E-SCENARIO-NOT-YET", "story.txt:2:1"],
        ["DUET-E-SCENARIO-NOT-YET", "story.txt:3:1"],
      ],
    );
    return true;
  });
  assert.deepEqual(world.log, []);
});

test("what is looked at in the lab alone is no step of another world, and can't be lacking there", async () => {
  const world = new Memory();
  const { ok, steps } = await play(
    scenario(
      "start both machines",
      "in the lab: expect kubelet does not run on node1",
      "cut the power of node1",
    ),
    world,
  );
  assert.ok(ok);
  assert.deepEqual(
    steps.map(({ line }) => line),
    [1, 3],
  );
  const lab = Object.assign(new Memory(), { name: "lab" });
  await assert.rejects(
    play(scenario("start both machines", "in the lab: expect kubelet runs on node1"), lab),
    (error) => {
      assert.ok(error instanceof DuetError);
      assert.equal(error.problems[0]?.where, "story.txt:2:1");
      return error.status === exit.notHere;
    },
  );
});

test("a file that is for another world is refused", async () => {
  await assert.rejects(play(scenario("worlds: lab", "start both machines"), new Memory()), (error) => {
    assert.ok(error instanceof DuetError);
    assert.equal(error.problems[0]?.code, "DUET-E-SCENARIO-WORLD");
    return error.status === exit.notHere;
  });
});

test("what was seen at a moment is told with the step in which it came, and one that was missed fails that step", async () => {
  const story = scenario(
    "start both machines",
    "at the promote entry: cut the power of node1",
    "until node2 serves",
    "until 1+1",
  );
  const met = [undefined, { ok: true, seen: "in both logs" }];
  const well = await play(story, Object.assign(new Memory(), { meanwhile: async () => met.shift() }));
  assert.ok(well.ok);
  assert.deepEqual(
    well.steps.map(({ seen }) => seen),
    ["", "", "in both logs; 2 on", ""],
  );
  const missed = [undefined, { ok: false, seen: "too late" }];
  const wrong = await play(story, Object.assign(new Memory(), { meanwhile: async () => missed.shift() }));
  assert.deepEqual([wrong.ok, wrong.steps.length, wrong.steps.at(-1)?.seen], [false, 3, "too late"]);
});

test("a moment does its deed when it comes, with the leader of then; one that never comes is a failure", async () => {
  const world = new Memory();
  const story = scenario(
    "start both machines",
    "at the promote entry: cut the power of the leader",
    "until 1+1",
  );
  assert.ok((await play(story, world)).ok);
  assert.deepEqual(world.log, ["start both", "cut node2"]);
  const never = await play(
    scenario("start both machines", "at the removal: cut the power of node1"),
    new Memory(),
  );
  assert.equal(never.ok, false);
  assert.match(never.problems[0]?.what ?? "", /never came: removal/);
  const moment = "at the promote entry: cut the power of node1";
  const seldom = Object.assign(new Memory(), { moments: new Set<Moment>(["marker"]) });
  await assert.rejects(play(scenario("start both machines", moment), seldom), DuetError);
  assert.deepEqual(seldom.log, []);
  const { arm: _, ...still } = new Memory();
  await assert.rejects(play(story, still), DuetError);
});
