import type { Pass } from "./echoes.ts";
import type { Lane, Moment } from "./moment.ts";

/** A run of steps that takes a rest of so long is two. */
const rest_us = 4_000_000;

/** The steps that one decision leads to are one line, as long as nothing that matters comes between. */
export const foldSteps: Pass = (moments) => {
  const kept: Moment[] = [];
  const open = new Map<Lane, Moment[]>();
  const close = (lane: Lane) => {
    const run = open.get(lane);
    const [first] = run ?? [];
    if (run !== undefined && first !== undefined) kept[kept.indexOf(first)] = folded(run);
    open.delete(lane);
  };
  for (const moment of moments) {
    const run = open.get(moment.lane);
    const last = run?.at(-1);
    if (moment.sort === "step") {
      if (run !== undefined && last !== undefined && moment.at_us - last.at_us <= rest_us) {
        run.push(moment);
        continue;
      }
      close(moment.lane);
      open.set(moment.lane, [moment]);
    } else if (moment.level <= 1 && moment.sort !== "writes" && moment.sort !== "etcd") {
      // A fault ends the runs of both; a machine's own news only its own.
      for (const lane of moment.lane === "between" ? ([0, 1] as const) : [moment.lane]) close(lane);
    }
    kept.push(moment);
  }
  for (const lane of open.keys()) close(lane);
  return kept;
};

function folded(run: readonly Moment[]): Moment {
  const [first] = run;
  const last = run.at(-1);
  if (first === undefined || last === undefined) throw new Error("bug: a run of no steps");
  const names = run.map(({ text }) => text).filter((text, at, all) => text !== all[at - 1]);
  if (run.length === 1) return first;
  const seconds = ((last.at_us - first.at_us) / 1e6).toFixed(1);
  const middle = names.length > 4 ? [...names.slice(0, 2), "…", ...names.slice(-2)] : names;
  return {
    ...first,
    level: 2,
    until_us: last.at_us,
    text: `${middle.join(", ").replace(", …,", " …")} (${run.length} steps, ${seconds} s)`,
    more: run.map(({ at_us, text }) => `+${((at_us - first.at_us) / 1e6).toFixed(2)} s ${text}`),
  };
}
