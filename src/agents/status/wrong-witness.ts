import { type Report, valueOf } from "./report.ts";
import type { Views, Wrong } from "./status.ts";
import { wrong } from "./wrong-line.ts";

type Says = NonNullable<Report["witness"]>["mine"];

/** Each by its own site file; of one that can't be asked what the other last heard counts. */
export function witnessWrongs({ site, machines, reports }: Views): readonly Wrong[] {
  const told = machines.map((name) => valueOf(reports[name])?.witness);
  const says = machines.map((_, i): Says | undefined => told[i]?.mine ?? told[1 - i]?.peer ?? undefined);
  const [one, other] = machines;
  if (one === undefined || other === undefined || says[0] === undefined || says[1] === undefined) return [];
  if (says[0] === says[1]) return [];
  return [wrong("DUET-E-WITNESS-APART", site, apart(one, says[0], other, says[1]), apartFix)];
}

export const apart = (one: string, says: Says, other: string, otherSays: Says): string =>
  `the site file of ${one} says \`witness: ${says}\`, that of ${other} \`witness: ${otherSays}\`: both machines write their tags, also for a takeover, until both say \`off\``;

export const apartFix =
  "write the same into /etc/duet/site.yaml on both machines; its page says what each means until then";
