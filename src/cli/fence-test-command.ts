import { hasWritten } from "../agents/check/tag.ts";
import { type FenceTestReport, fenceTestHere } from "../agents/proof/here.ts";
import { fenceTestFromSeat } from "../agents/proof/seat.ts";
import { DuetError, exit, type ExitStatus, fail, type Problem } from "../base/problem.ts";
import { Progress, seconds } from "../machine/progress.ts";
import { askConsent, whoAsks } from "./consent.ts";
import { findingsTable } from "./findings.ts";
import { printJson, printProblems } from "./output.ts";
import { placeOf } from "./place.ts";

export interface FenceTestOptions {
  readonly disruptive?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly sshConfig?: string;
}

export async function fenceTestCommand(
  machine: string | undefined,
  file: string | undefined,
  options: FenceTestOptions,
): Promise<ExitStatus> {
  const place = await placeOf("duet fence-test", file);
  const progress = new Progress();
  const asked = {
    disruptive: options.disruptive === true,
    consents: (costs: readonly string[]) => askConsent(costs, options.yes === true),
    step: progress.step.bind(progress),
  };
  if (place.at === "machine")
    return tell([await fenceTestHere({ ...asked, target: machine, who: whoAsks() })], options, true);
  if (asked.disruptive && machine === undefined)
    fail(
      "DUET-E-USAGE",
      "duet fence-test --disruptive",
      "switches one machine off, and none was named",
      "name it: `duet fence-test node2 --disruptive`",
      exit.badInput,
    );
  const from = { ...place, ...asked, ssh_config: options.sshConfig };
  if (machine !== undefined) return tell([await fenceTestFromSeat(from, machine)], options, true);
  const reports: FenceTestReport[] = [];
  const problems: Problem[] = [];
  for (const { name } of place.site.machines) {
    try {
      reports.push(await fenceTestFromSeat(from, name));
    } catch (error) {
      // One machine that can't be asked does not hide what the other one says.
      if (!(error instanceof DuetError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (reports.length === 0) throw new DuetError(problems);
  const status = tell(reports, options, false, problems);
  return problems.length === 0 ? status : exit.failed;
}

/** One machine's report as it is, so that it can be read over ssh; of several a list, with what kept one from being made. */
function tell(
  reports: readonly FenceTestReport[],
  { json, disruptive }: FenceTestOptions,
  single: boolean,
  problems: readonly Problem[] = [],
): ExitStatus {
  const ok = reports.every((each) => each.ok);
  if (json === true) printJson(single ? reports[0] : { reports, problems });
  else {
    for (const each of reports) process.stdout.write(reportText(each));
    if (disruptive === true && !ok) process.stdout.write("So nothing was switched off.\n");
    printProblems(problems, false);
  }
  return ok ? exit.ok : exit.failed;
}

export function reportText({ by, target, ways, findings, off_ms, good_ms }: FenceTestReport): string {
  const wrong = ways.filter(({ ok }) => !ok).map(({ way }) => way);
  const well = ways.filter(({ ok, way }) => ok && way !== "Pacemaker").map(({ way }) => way);
  const isRead = off_ms === null && well.includes("BMC") && !hasWritten(findings);
  const read = isRead
    ? ` The BMC was only read: that its user may also switch, \`duet fence-test ${target} --disruptive\` shows.`
    : "";
  const before = good_ms === null ? "never" : new Date(good_ms).toISOString();
  const verdict =
    wrong.length === 0
      ? `${by} can switch ${target} off: proven by ${well.join(" and ")}.${read}`
      : `${by} is not proven to be able to switch ${target} off: ${wrong.join(" and ")} failed` +
        `${well.length === 0 ? "" : `; ${well.join(" and ")} would do it`}. All was well last: ${before}.`;
  const real =
    off_ms === null ? "" : `For real: ${target} was off after ${seconds(off_ms)}, and it is 1+1 again.\n`;
  return `${findingsTable(findings)}\n${verdict}\n${real}`;
}
