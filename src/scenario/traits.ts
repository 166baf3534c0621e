import { isLoss } from "./roles.ts";
import type { Scenario } from "./scenario.ts";

/** What a story does that whoever runs it has to know beforehand. */

/** An admin says that data may go. */
export const acceptsLoss = ({ steps }: Scenario): boolean =>
  steps.some(({ ask: { kind } }) => kind === "admin-down-loss" || kind.startsWith("admin-chooses"));

/** An admin's word stands for the proof that a machine is off, or for duet's own rules. */
export const takesAnAdminsWord = ({ steps }: Scenario): boolean =>
  steps.some(({ ask: { kind } }) => kind.startsWith("admin-"));

/** A BMC is seen without a tag that it had. */
export const losesTag = ({ steps }: Scenario): boolean =>
  steps.some(
    ({ ask }) =>
      (ask.kind === "bmc-tag" && ask.tag === "none") ||
      (ask.kind === "bmc-fault" && ask.fault === "forgets-tag"),
  );

/** Waits for both machines, or expects both. */
export const isWhole = (kind: string): boolean =>
  ["until-1+1", "expect-1+1", "until-online", "expect-online", "bring-online"].includes(kind);

/** Its last word of both machines is followed by no loss: a machine that serves then is one of two. */
export function endsWhole({ steps }: Scenario): boolean {
  const last = steps.findLastIndex(({ ask: { kind } }) => isWhole(kind));
  return last !== -1 && !steps.slice(last).some(({ ask: { kind } }) => isLoss(kind));
}
