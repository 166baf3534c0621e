import { type Deed, textOf } from "../agents/planned/deed.ts";
import { atSeat, onMachine } from "../agents/planned/place.ts";
import { planned } from "../agents/planned/planned.ts";
import { exit, type ExitStatus, fail } from "../base/problem.ts";
import { Progress } from "../machine/progress.ts";
import { parseDuration } from "../site/duration.ts";
import { onInterrupt } from "./interrupt.ts";
import { printJson } from "./output.ts";
import { notHere, whereAmI } from "./where.ts";

export interface PlannedOptions {
  readonly force?: boolean;
  readonly within?: string;
  readonly sshConfig?: string;
  readonly here?: boolean;
  readonly json?: boolean;
}

const within_ms_max = 24 * 3_600_000;

export async function plannedCommand(
  deed: Deed,
  file: string | undefined,
  options: PlannedOptions,
  duet: string,
): Promise<ExitStatus> {
  const words = textOf(deed);
  const command = `duet ${words}`;
  const within_ms = withinOf(command, options.within ?? "1m");
  const code = "DUET-E-PLANNED-NOT-HERE";
  const { sshConfig } = options;
  const where = await whereAmI({ command, code, file, sshConfig, duet });
  const { site } = "here" in where ? where.here : where.seat;
  checkName(
    command,
    deed,
    site.machines.map(({ name }) => name),
  );
  if (options.here === true) {
    if (!("here" in where) || (deed.do === "reboot" && deed.machine !== where.here.me))
      return notHere({ command, code }, "--here", "this is not that machine");
    await onMachine(where.here).act(deed);
    printJson({ begun: words });
    return exit.ok;
  }
  onInterrupt(
    "what was begun goes on by itself, and a peer that has not heard of it yet does not reboot; `duet status` shows how",
  );
  const progress = new Progress();
  const place = "here" in where ? onMachine(where.here) : atSeat(where.seat);
  const { sentence, status } = await planned(place, deed, progress, within_ms);
  if (options.json === true)
    printJson({ done: words, sentence, steps: progress.steps, total_ms: progress.total_ms, status });
  else process.stdout.write(`${sentence}\n`);
  return exit.ok;
}

function withinOf(command: string, text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0 && ms <= within_ms_max) return ms;
  return badCall(command, `--within ${text} is no duration up to a day, such as 90s or 15m`);
}

function checkName(command: string, deed: Deed, names: readonly string[]): void {
  if (deed.do !== "maintenance" && !names.includes(deed.machine))
    badCall(command, `the site has no machine ${deed.machine}: there is ${names.join(" and ")}`);
}

const badCall = (command: string, what: string): never =>
  fail(
    "DUET-E-USAGE",
    command,
    what,
    `\`${command.split(" ").slice(0, 2).join(" ")} --help\` shows how it is used`,
    exit.badInput,
  );
