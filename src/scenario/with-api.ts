import { match } from "./grammar.ts";
import type { Place, Scenario, Step } from "./scenario.ts";
import { acceptsLoss, endsWhole, isWhole, takesAnAdminsWord } from "./traits.ts";
import { isRemembered } from "./with-api-memory.ts";
import { unasked } from "./with-api-unasked.ts";

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
  const asked = unasked(steps);
  return {
    ...scenario,
    header: { ...header, worlds: ["lab"], ci: false, kubernetes: true, address: true },
    steps: [
      ...steps.flatMap((step, index) => [
        ...stepWithApi(scenario, step, { first, index }),
        ...(index > first && asked.has(index) ? [answersInTime(step)] : []),
      ]),
      ...ending(scenario, first),
    ],
  };
}

const pods = 4;
const etcd_writes_per_second = 100;

const begins = (kind: string): boolean => kind === "clients-write" || kind === "clients-rate";

/** Which step it is, and at which one the API's clients begin. */
interface Where {
  readonly first: number;
  readonly index: number;
}

function stepWithApi(scenario: Scenario, step: Step, { first, index }: Where): readonly Step[] {
  const { kind } = step.ask;
  const beside = (...said: readonly string[]) => said.map((each) => say(step, each));
  const deployment = index === first ? [`a deployment of ${pods} pods runs`] : [];
  if (step.at === undefined && begins(kind)) {
    const paced =
      kind === "clients-write" ? say(step, `clients write ${etcd_writes_per_second} per second`) : step;
    return [...beside(...deployment), paced, ...beside("API clients write")];
  }
  if (index === first) return [step, ...beside(...deployment, "API clients write")];
  // Whoever has etcd again has the API again, too.
  if (kind === "until-serves" && index > first) return [step, answersAgain(step)];
  if (kind === "expect-nothing-lost" && !acceptsLoss(scenario))
    return [step, ...beside(...judged(scenario, first, index))];
  return [step];
}

const answer_ms = 120_000;

/**
 * With a limit the two have the same beginning, when the loss was seen; the API's is no shorter than that of etcd in the same story.
 * Without one the story takes its time until etcd serves, and the API's counts from then.
 */
function answersAgain(serves: Step): Step {
  const { limited, within_ms } = serves.ask;
  const limit_ms = limited ? Math.max(answer_ms, within_ms) : answer_ms;
  const step = say(serves, `until the API answers within ${limit_ms / 1000} seconds`);
  return { ...step, ask: { ...step.ask, limited } };
}

/** Where the story itself waits for nobody to serve: from when the loss was seen. */
const answersInTime = (after: Step): Step =>
  say(after, `until the API answers within ${answer_ms / 1000} seconds`);

/** By what was done from the clients' begin to this step. No write hangs for longer than Kubernetes itself lets it (docs/clients.md). */
const judged = ({ header, steps }: Scenario, first: number, index: number): readonly string[] => [
  "until the API answers",
  "expect each API write to end in 50 seconds",
  `expect the API's history whole${isRemembered(header, steps.slice(first, index)) ? "" : " but for 410 Gone"}`,
];

function ending(scenario: Scenario, first: number): readonly Step[] {
  const { steps } = scenario;
  const last = steps.at(-1);
  if (last === undefined) return [];
  const isJudged = steps.some(({ ask: { kind } }) => kind === "expect-nothing-lost");
  const whole = endsWhole(scenario);
  const said = [
    ...(whole ? ["until 1+1", "until the API answers", "until the deployment is whole"] : []),
    ...(whole ? ["until nobody is marked out of service", "expect the address on one machine"] : []),
    // What the API's clients saw is held against nothing where an admin gave data away.
    ...(isJudged || acceptsLoss(scenario) ? [] : judged(scenario, first, steps.length)),
    ...(takesAnAdminsWord(scenario) ? [] : ["expect the address was never on both machines"]),
  ];
  return said.map((each) => say(last, each));
}

/** A step in the story's own language, told as if it stood on the line of another. */
function say({ line, column }: Place, said: string): Extract<Step, { at: undefined }> {
  const found = match(said);
  if (found?.ok !== true) throw new Error(`no such step: ${said}`);
  return { line, column, text: found.text, at: undefined, ask: found.ask };
}
