import { match } from "./grammar.ts";
import type { Place, Scenario, Step } from "./scenario.ts";
import { acceptsLoss, takesAnAdminsWord } from "./traits.ts";

/**
 * The same story on machines with Kubernetes: a Deployment runs, and clients of the API write beside those of etcd. What the story
 * says stays; etcd's clients keep a slower pace, since the API servers need the machines too.
 */
export function withApi(scenario: Scenario): Scenario {
  // One that is not for the lab stays as it is, and is refused as what it is.
  if (scenario.header.kubernetes || !scenario.header.worlds.includes("lab")) return scenario;
  const { header, steps } = scenario;
  const begin = steps.findIndex(({ at, ask: { kind } }) => at === undefined && begins(kind));
  const first = begin === -1 ? steps.findIndex(({ ask: { kind } }) => isWhole(kind)) : begin;
  // Where the machines are never together there is no API to begin with.
  if (first === -1) return scenario;
  return {
    ...scenario,
    header: { ...header, worlds: ["lab"], ci: false, kubernetes: true },
    steps: [
      ...steps.flatMap((step, index) => stepWithApi(scenario, step, index === first)),
      ...ending(scenario),
    ],
  };
}

const pods = 4;
const etcd_writes_per_second = 100;

const begins = (kind: string): boolean => kind === "clients-write" || kind === "clients-rate";
const isWhole = (kind: string): boolean =>
  ["until-1+1", "expect-1+1", "until-online", "expect-online", "bring-online"].includes(kind);

function stepWithApi(scenario: Scenario, step: Step, first: boolean): readonly Step[] {
  const { kind } = step.ask;
  const beside = (...said: readonly string[]) => said.map((each) => say(step, each));
  const deployment = first ? [`a deployment of ${pods} pods runs`] : [];
  if (step.at === undefined && begins(kind)) {
    const paced =
      kind === "clients-write" ? say(step, `clients write ${etcd_writes_per_second} per second`) : step;
    return [...beside(...deployment), paced, ...beside("API clients write")];
  }
  if (first) return [step, ...beside(...deployment, "API clients write")];
  // Both machines' API servers may have been away: what a new one remembers begins with its start.
  if (kind === "expect-nothing-lost" && !acceptsLoss(scenario)) return [step, ...beside(...judged)];
  return [step];
}

const judged = ["until the API answers", "expect the API's history whole but for 410 Gone"] as const;

function ending(scenario: Scenario): readonly Step[] {
  const last = scenario.steps.at(-1);
  if (last === undefined) return [];
  const kinds = scenario.steps.map(({ ask: { kind } }) => kind);
  const lastState = kinds.findLast(
    (kind) => isWhole(kind) || kind.endsWith("-serves") || kind === "expect-1+0",
  );
  const whole = lastState !== undefined && isWhole(lastState);
  const said = [
    ...(whole ? ["until 1+1", "until the API answers", "until the deployment is whole"] : []),
    ...(whole ? ["until nobody is marked out of service", "expect the address on one machine"] : []),
    // What the API's clients saw is held against nothing where an admin gave data away.
    ...(kinds.includes("expect-nothing-lost") || acceptsLoss(scenario) ? [] : judged),
    ...(takesAnAdminsWord(scenario) ? [] : ["expect the address was never on both machines"]),
  ];
  return said.map((each) => say(last, each));
}

/** A step in the story's own language, told as if it stood on the line of another. */
function say({ line, column }: Place, said: string): Step {
  const found = match(said);
  if (found?.ok !== true) throw new Error(`no such step: ${said}`);
  return { line, column, text: found.text, at: undefined, ask: found.ask };
}
