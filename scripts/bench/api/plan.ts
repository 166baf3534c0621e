import { isAsked, refuseNothing } from "../../bench-only.ts";
import type { BenchOptions } from "../../bench-table.ts";
import { type LossCase, losses, type Stopped, stops } from "../failover/cases.ts";
import type { PlainPlan } from "./plain/measure.ts";
import type { Windows } from "./two.ts";

/** What is measured, and in which order. */
export interface Plan extends Windows {
  readonly rest: boolean;
  readonly writes: boolean;
  readonly reboots: readonly Stopped[];
  readonly losses: readonly LossCase[];
  readonly plain: readonly PlainPlan[];
}

const alone = "one machine, plain";
const three = "three machines, plain";

const full: Plan = {
  settle_ms: 30_000,
  rest_ms: 30_000,
  press_ms: 10_000,
  rest: true,
  writes: true,
  reboots: stops,
  losses,
  plain: [
    { title: alone, machines: 1, rest: true, ways: ["cut", "reboot"] },
    { title: "two machines, plain", machines: 2, rest: true, ways: [] },
    { title: three, machines: 3, rest: true, ways: ["cut", "hang", "reboot", "follower_cut"] },
  ],
};

/** Each part and each way once, and each machine in turn: so none is lost whose pods went with it the last time, and have to be spread anew. */
const quickLosses = ["wire cut", "leader, cut", "follower, hang, survivor first"];

/** The fence is not measured here, and nobody survives as the second of two that read On: so no turn is waited for. */
const quick: Plan = {
  ...full,
  settle_ms: 2_000,
  rest_ms: 5_000,
  press_ms: 5_000,
  reboots: ["leader"],
  losses: quickLosses.flatMap((name) => losses.filter((loss) => loss.name === name)),
  plain: [
    { title: alone, machines: 1, rest: false, ways: ["cut"] },
    { title: three, machines: 3, rest: false, ways: ["cut"] },
  ],
};

/**
 * Without a word of what is wanted it ends within five minutes on a quiet box. Machines at rest are no figure of seconds, each
 * lab of plain machines takes more than a minute to come up, and a machine that hangs is fenced as one behind a cut wire is: all of
 * these are there by their names.
 */
const quickest: Plan = {
  ...quick,
  rest: false,
  plain: [],
  losses: quick.losses.filter(({ way }) => way !== "hang"),
};

export const restName = "memory and processor time, at rest";
export const writesName = "writes";
export const rebootName = (which: Stopped): string => `planned reboot of the ${which}`;

export const namesIn = (plan: Plan): readonly string[] => [
  ...(plan.rest ? [restName] : []),
  ...(plan.writes ? [writesName] : []),
  ...plan.reboots.map(rebootName),
  ...plan.losses.map(({ name }) => name),
  ...plan.plain.map(({ title }) => title),
];

/** Does it take a lab of duet's? */
export const hasDuet = ({ rest, writes, reboots, losses: lost }: Plan): boolean =>
  rest || writes || reboots.length > 0 || lost.length > 0;

export function planOf(options: Pick<BenchOptions, "quick" | "only">): Plan {
  if (options.only === undefined) return options.quick ? quickest : full;
  const all = options.quick ? quick : full;
  refuseNothing(options, namesIn(all));
  const wants = (name: string): boolean => isAsked(options, name);
  return {
    ...all,
    rest: all.rest && wants(restName),
    writes: all.writes && wants(writesName),
    reboots: all.reboots.filter((which) => wants(rebootName(which))),
    losses: all.losses.filter(({ name }) => wants(name)),
    plain: all.plain.filter(({ title }) => wants(title)),
  };
}
