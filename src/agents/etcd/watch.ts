import type { Effects } from "../../act/effects.ts";
import type { Verdict } from "../../decide/decide.ts";
import type { Decision } from "../../decide/decision.ts";
import type { Facts } from "../../decide/facts.ts";

/** Nothing is to be done, and nothing is wrong: the recorder counts these, the journal need not. */
const calm: ReadonlySet<Decision["do"]> = new Set(["serve-as-is", "keep-tags"]);

interface Watched {
  readonly effects: Effects;
  readonly last: Facts | undefined;
  /** How it was decided last to start. */
  readonly start: Verdict | undefined;
}

/** Tells the journal each decision that is another than the one before, and keeps the last picture. */
export function watch(effects: Effects, say: (line: string) => void): Watched {
  let last: Facts | undefined;
  let start: Verdict | undefined;
  const said = new Map<string, string>();
  return {
    effects: {
      ...effects,
      facts: async () => (last = await effects.facts()),
      decide: (question, facts) => {
        const verdict = effects.decide(question, facts);
        if (question === "start") start = verdict;
        const line = `${verdict.rule}: ${verdict.sentence}`;
        if (said.get(question) !== line && !calm.has(verdict.decision.do)) say(line);
        said.set(question, line);
        return verdict;
      },
    },
    get last() {
      return last;
    },
    get start() {
      return start;
    },
  };
}
