import { otherThan, type MachineName } from "../../../src/scenario/slots.ts";
import type { LossCase } from "./cases.ts";

/** What a case is named after, and what was so. A run of another case is no figure of this one. */

/** Who is to survive it, and who is first in the race to fence. */
export interface Roles {
  readonly survives: MachineName;
  readonly leads: MachineName;
}

/** Where the wire is cut nobody is lost before the race is over: the first one leads, and is to win it. */
export function rolesOf({ survivor, lost }: LossCase, first: MachineName): Roles {
  const survives = survivor === "first" ? first : otherThan(first);
  return { survives, leads: lost === "leader" ? otherThan(survives) : survives };
}

export const otherLeader = (
  leader: string | undefined,
  leads: MachineName,
  what: "loss" | "reboot",
): string | undefined =>
  leader === leads ? undefined : `${leader ?? "nobody"} led right before the ${what}, and not ${leads}`;

/** Right before the loss: what makes it another case, or nothing. Whoever has lost its power reads Off, and then no turn counts. */
export function otherStart(
  { way, survivor }: LossCase,
  { survives, leads }: Roles,
  leader: string | undefined,
  turn: number | undefined,
): string | undefined {
  const other = otherLeader(leader, leads, "loss");
  if (other !== undefined) return other;
  if (way !== "hang" || (turn !== undefined && (turn === 0) === (survivor === "first"))) return undefined;
  const held = turn === undefined ? "no turn" : `turn ${turn}`;
  return `${survives}, which is to survive as the ${survivor} in the race, held ${held} right before the loss`;
}

/** And after it. Of a wire any machine may be the survivor. */
export function otherEnd({ way }: LossCase, { survives }: Roles, survivor: string): string | undefined {
  return way === "wire" || survivor === survives ? undefined : `${survivor} survived, and not ${survives}`;
}

/** `node1 4 times, node2 once`. */
export function survivorsTold(survivors: readonly string[]): string {
  const counts = [...Map.groupBy(survivors, (name) => name)].toSorted(([a], [b]) => a.localeCompare(b));
  return counts
    .map(([name, { length }]) => `${name} ${length === 1 ? "once" : `${length} times`}`)
    .join(", ");
}
