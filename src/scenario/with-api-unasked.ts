import { isExpectation, type Kind } from "./phrases.ts";
import { isLoss } from "./roles.ts";
import type { Step } from "./scenario.ts";

/**
 * Behind which steps the API is asked for although the story waits for nobody to serve: a loss was seen, and from here on nothing of the
 * story's own keeps the other machine from serving. That is where Off was seen, behind what is looked at then (a peer that is off may soon be
 * powered on by who is left), or where both are waited for next.
 */
export function unasked(steps: readonly Step[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (const [lost, { ask }] of steps.entries()) {
    if (ask.kind !== "until-lost") continue;
    const end = steps.findIndex((step, index) => index > lost && isLoss(step.ask.kind));
    const rest = steps.slice(lost + 1, end === -1 ? steps.length : end);
    if (rest.some(({ ask: { kind } }) => kind === "until-serves")) continue;
    if (rest[0]?.ask.kind === "until-1+1") found.add(lost);
    const off = rest.findIndex(({ ask: { kind } }) => shows_off.has(kind));
    if (off === -1) continue;
    const looks = rest.slice(off + 1).findIndex(({ ask: { kind } }) => !isExpectation(kind));
    found.add(looks === -1 ? lost + rest.length : lost + 1 + off + looks);
  }
  return found;
}

const shows_off: ReadonlySet<string> = new Set<Kind>(["until-proven-off", "until-off"]);
