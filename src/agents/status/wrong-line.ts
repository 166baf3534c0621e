import { pageOf } from "./page.ts";
import { type Saying, valueOf } from "./report.ts";
import type { MachineStatus, Status, Wrong } from "./status.ts";

export type Judged = Omit<Status, "wrong">;

export const wrong = (code: string, where: string, what: string, fix: string): Wrong => ({
  code,
  where,
  what,
  fix,
  page: pageOf(code),
});

export const bySaying = (name: string, { rule, sentence }: Saying, fix: string): Wrong =>
  wrong(rule, name, sentence, fix);

export const isOnStandby = ({ pacemaker }: MachineStatus): boolean => valueOf(pacemaker) === "standby";

/** Where it left by plan it does not hold what its peer acknowledged since. Who went as the last one, by force, did not leave. */
export function standbyOf(
  { name, full }: Pick<MachineStatus, "name" | "full">,
  peer: string,
  serves: readonly string[],
): Wrong {
  if (serves.includes(peer))
    return wrong(
      "DUET-E-STATUS-STANDBY",
      name,
      `is on standby: Pacemaker runs nothing here, and ${peer} serves alone`,
      `when the work on it is done: \`duet unstandby ${name}\``,
    );
  return wrong(
    "DUET-E-STATUS-STANDBY",
    name,
    `is on standby: Pacemaker runs nothing here, and ${peer} is not seen to serve`,
    valueOf(full) === true
      ? `\`duet unstandby ${name}\`: it was the last that served, and starts again as its data allows`
      : `see to ${peer} first: what it acknowledged alone is only there; \`duet unstandby ${name}\` lets ${name} start or join, as its data allows`,
  );
}
