import { moment } from "./layout.ts";
import { valueOf } from "./report.ts";
import type { MachineStatus, Views, Wrong } from "./status.ts";
import { wrong } from "./wrong-line.ts";

/** Said of the machine that ran on, by the one that had read its Off: until it is known why, no Off of it proves anything. */
export function falseOffOf({ name }: MachineStatus, { machines, reports }: Views): readonly Wrong[] {
  const by = machines.find((each) => each !== name) ?? "its peer";
  const report = valueOf(reports[by]);
  const at_ms = report?.falseOff_ms ?? undefined;
  if (report === undefined || at_ms === undefined) return [];
  return [
    wrong(
      "DUET-E-STATUS-FALSE-OFF",
      name,
      `ran on while its BMC or outlet said Off to ${by}, which heard it again ${moment(at_ms, report.at_ms)}: both may have served, and no fence by that BMC or outlet can be trusted`,
      `see which machine they really switch, and what each of the two has answered; then \`duet fence-test ${name} --disruptive\` on ${by}`,
    ),
  ];
}
