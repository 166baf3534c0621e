import type { Kind } from "./phrases.ts";
import { isLoss } from "./roles.ts";
import type { Scenario } from "./scenario.ts";

/** What a story does that whoever runs it has to know beforehand. */

/** An admin says that data may go. */
export const acceptsLoss = ({ steps }: Scenario): boolean =>
  steps.some(({ ask: { kind } }) => kind === "admin-down-loss" || kind.startsWith("admin-chooses"));

/** An admin's word stands for the proof that a machine is off. A raw command past duet does not: nothing follows from it. */
export const takesAnAdminsWord = ({ steps }: Scenario): boolean =>
  steps.some(({ ask: { kind } }) => kind.startsWith("admin-") && !pastDuet.has(kind));
const pastDuet: ReadonlySet<string> = new Set<Kind>(["admin-unblocks", "admin-confirms"]);

/** A BMC is seen without a tag that it had: it shows nothing, or an older one. */
export const losesTag = ({ steps }: Scenario): boolean =>
  steps.some(
    ({ ask }) =>
      (ask.kind === "bmc-tag" && ask.tag === "none") ||
      (ask.kind === "bmc-fault" && (ask.fault === "forgets-tag" || ask.fault === "older-tag")),
  );

/** Waits for both machines, or expects both. */
export const isWhole = (kind: string): boolean =>
  ["until-1+1", "expect-1+1", "until-online", "expect-online", "bring-online"].includes(kind);

/** Its last word of both machines is followed by no loss: a machine that serves then is one of two. */
export function endsWhole({ steps }: Scenario): boolean {
  const last = steps.findLastIndex(({ ask: { kind } }) => isWhole(kind));
  return last !== -1 && !steps.slice(last).some(({ ask: { kind } }) => isLoss(kind));
}

/** What a story does to the world, and what of it ends that. */
const undoneBy: Readonly<Partial<Record<Kind, readonly Kind[]>>> = {
  break: ["repair"],
  "cut-feed": ["restore-feed", "restore-both-feeds"],
  "cut-both-feeds": ["restore-both-feeds"],
  standby: ["unstandby"],
  "cut-wire": ["heal-wire"],
  "cut-one-way": ["heal-wire"],
  unplug: ["plug"],
  "unplug-address": ["plug-address"],
  "bmc-fault": ["bmc-well"],
  "bmc-slow": ["bmc-well"],
  "pdu-fault": ["pdu-well"],
  "unit-wont-start": ["mend-unit"],
  "unit-wont-stop": ["mend-unit"],
  "fill-disk": ["free-disk"],
  "slow-disk": ["fast-disk"],
};

/** Of these something stays that a status rightly tells of for longer than any story. */
const lasting: ReadonlySet<Kind> = new Set(["jump-clock", "bmc-tag", "interrupt-setup"]);

/** Two whole machines at its end, and nothing that it did to the world is left: then nobody is told of anything. */
export const endsMended = (scenario: Scenario): boolean =>
  endsWhole(scenario) &&
  !acceptsLoss(scenario) &&
  !losesTag(scenario) &&
  scenario.steps.every(({ ask: { kind } }, at) => {
    const ends = undoneBy[kind];
    const rest = scenario.steps.slice(at + 1);
    return !lasting.has(kind) && (ends === undefined || rest.some(({ ask }) => ends.includes(ask.kind)));
  });
