import { DuetError, exit, type Problem } from "../base/problem.ts";
import { Detection } from "./detection.ts";
import type { Kind } from "./phrases.ts";
import { Cast } from "./roles.ts";
import { type Ask, type Scenario, type Step, toldIn, type WorldName } from "./scenario.ts";
import type { MachineName } from "./slots.ts";
import type { Doing, ScenarioWorld, Seen } from "./world.ts";

/** A step that was done, or that ended the run. */
export interface StepReport {
  readonly line: number;
  readonly text: string;
  /** The machine that a role fell to. */
  readonly machine: MachineName | undefined;
  /** When it began and ended, since the scenario began. */
  readonly from_ms: number;
  readonly to_ms: number;
  readonly ok: boolean;
  readonly seen: string;
}

export interface ScenarioResult {
  readonly ok: boolean;
  readonly steps: readonly StepReport[];
  readonly problems: readonly Problem[];
}

export interface Report {
  readonly begins: (step: Step) => void;
  readonly ends: (step: StepReport) => void;
}

/** Walks the steps, in order. Ends at the first one that fails, with its line and what was seen instead. */
export async function runScenario(
  whole: Scenario,
  world: ScenarioWorld,
  report: Report,
): Promise<ScenarioResult> {
  refuseUnfit(whole, world);
  const scenario = toldIn(whole, world.name);
  const story: Story = {
    cast: new Cast(async (role) => await world.roles[role]?.()),
    detection: new Detection(),
  };
  const steps: StepReport[] = [];
  for (const step of scenario.steps) {
    report.begins(step);
    const from_ms = world.now_ms();
    const { machine, ok, seen } = await take(step, world, story);
    const done = { line: step.line, text: step.text, machine, from_ms, to_ms: world.now_ms(), ok, seen };
    steps.push(done);
    report.ends(done);
    if (!ok) return { ok: false, steps, problems: [failed(scenario, step, seen)] };
  }
  const unmet = (world.unmet?.() ?? []).map((moment) => neverCame(scenario, moment));
  if (unmet.length > 0) return { ok: false, steps, problems: unmet };
  const end = (await world.end?.(scenario)) ?? { ok: true, seen: "" };
  return { ok: end.ok, steps, problems: end.ok ? [] : [endsBadly(scenario, end.seen)] };
}

interface Taken extends Seen {
  readonly machine: MachineName | undefined;
}

/** What is kept from step to step. */
interface Story {
  readonly cast: Cast;
  readonly detection: Detection;
}

async function take(step: Step, world: ScenarioWorld, story: Story): Promise<Taken> {
  if (step.at === undefined) {
    const taken = await act(step.ask, world, story);
    const between = await world.meanwhile?.();
    if (between === undefined) return taken;
    // A moment that was missed is why the rest went otherwise.
    if (!between.ok) return { ...taken, ...between };
    return { ...taken, seen: [between.seen, taken.seen].filter((seen) => seen !== "").join("; ") };
  }
  if (world.arm === undefined) throw new Error("the run began in a world that knows no moments");
  // Roles are settled when the moment comes: who leads then may not lead now.
  const seen = await world.arm(step.at, async () => await act(step.ask, world, story));
  return { ...seen, machine: undefined };
}

/** Something thrown by a world that a user can act on is a failed step; anything else is a bug and goes up. */
async function act(ask: Ask, world: ScenarioWorld, { cast, detection }: Story): Promise<Taken> {
  const who = "machine" in ask ? ask.machine : undefined;
  try {
    const casting = who === undefined ? undefined : await cast.find(who);
    if (casting?.ok === false) return { ok: false, seen: casting.why, machine: undefined };
    const machine = casting?.name;
    const from_ms = world.now_ms();
    const bound = detection.bound(ask, from_ms);
    const seen = bound.tell(await dispatch(world.does, bind(bound.ask, machine)), world.now_ms());
    cast.note(ask.kind, machine);
    detection.note(ask.kind, seen, from_ms, world.now_ms());
    return { ...seen, machine: machine === who ? undefined : machine };
  } catch (error) {
    if (!(error instanceof DuetError)) throw error;
    return { ok: false, seen: error.message, machine: undefined };
  }
}

const bind = (ask: Ask, machine: MachineName | undefined): Ask<MachineName> => {
  const bound = machine === undefined ? ask : { ...ask, machine };
  if (!isBound(bound)) throw new Error(`${ask.kind} has no machine`);
  return bound;
};
const isBound = (ask: Ask | Ask<MachineName>): ask is Ask<MachineName> =>
  !("machine" in ask) || ask.machine === "node1" || ask.machine === "node2";

async function dispatch<K extends Kind>(does: Doing, ask: Ask<MachineName, K>): Promise<Seen> {
  const work: Doing[K] = does[ask.kind];
  if (work === undefined) throw new Error(`the run began in a world that can't ${ask.kind}`);
  return await work(ask);
}

/** A file that says by its `worlds:` line that it is not for this one. */
export function wrongWorld({ file, header: { worlds } }: Scenario, name: WorldName): readonly Problem[] {
  if (worlds.includes(name)) return [];
  return [
    {
      code: "DUET-E-SCENARIO-WORLD",
      where: file,
      what: `this scenario is for ${worlds.join(" and ")}, not for ${name}`,
      fix: `run it with \`--in ${worlds[0] ?? ""}\``,
    },
  ];
}

/** What a world can't do is said before anything is started. */
export function unfit(whole: Scenario, world: ScenarioWorld): readonly Problem[] {
  const scenario = toldIn(whole, world.name);
  const { file, steps } = scenario;
  const wrong = wrongWorld(scenario, world.name);
  if (wrong.length > 0) return wrong;
  const lacks = world.lacks?.(scenario) ?? [];
  return [
    ...lacks.map((what) => notYet(`${file}:1:1`, world, what)),
    ...steps.flatMap((step) => {
      const what = missing(step, world);
      return what === undefined ? [] : [notYet(`${file}:${step.line}:${step.column}`, world, what)];
    }),
  ];
}

function refuseUnfit(scenario: Scenario, world: ScenarioWorld): void {
  const problems = unfit(scenario, world);
  if (problems.length > 0) throw new DuetError(problems, exit.notHere);
}

function missing({ ask, at, text }: Step, world: ScenarioWorld): string | undefined {
  if (at !== undefined && (world.arm === undefined || world.moments?.has(at) === false))
    return `this world can't act at a moment: \`${text}\``;
  if (world.does[ask.kind] === undefined) return `this world can't do this step: \`${text}\``;
  const who = "machine" in ask ? ask.machine : "node1";
  const known = who === "node1" || who === "node2" || who === "the peer" || world.roles[who] !== undefined;
  return known ? undefined : `this world can't tell who is ${who}`;
}

const notYet = (where: string, world: ScenarioWorld, what: string): Problem => ({
  code: "DUET-E-SCENARIO-NOT-YET",
  where,
  what: `not yet in the ${world.name}: ${what}`,
  fix: "nothing was started; this comes with a later version of duet",
});

const failed = (scenario: Scenario, step: Step, seen: string): Problem => ({
  code: "DUET-E-SCENARIO-FAILED",
  where: `${scenario.file}:${step.line}:${step.column}`,
  what: `\`${step.text}\` failed: ${seen}`,
  fix: "the steps above it tell what led there",
});

const neverCame = (scenario: Scenario, moment: string): Problem => ({
  code: "DUET-E-SCENARIO-FAILED",
  where: scenario.file,
  what: `the moment never came: ${moment}`,
  fix: "let the steps before it lead there",
});

const endsBadly = (scenario: Scenario, seen: string): Problem => ({
  code: "DUET-E-SCENARIO-FAILED",
  where: scenario.file,
  what: `behind its last step: ${seen}`,
  fix: "the last steps tell what led there",
});
