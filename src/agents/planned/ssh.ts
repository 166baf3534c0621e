import * as v from "valibot";
import { DuetError, exit, fail, type Problem } from "../../base/problem.ts";
import type { Machine, Site } from "../../site/site.ts";
import { callBySsh, judgeSsh, type SshAnswer } from "../check/ssh.ts";
import { type Deed, wordsOf } from "./deed.ts";

const connect_ms = 2_000;
const silent_s = 5;
const ssh_ms = 30_000;
const ssh_failed = 255;

type Ask = (machine: Machine, words: readonly string[]) => Promise<SshAnswer>;

/** A reboot on the machine itself; the rest on whichever answers first, as Pacemaker's configuration is one for both. */
export async function doBySsh(
  site: Site,
  deed: Deed,
  config: string | undefined,
  ask: Ask = (machine, words) =>
    callBySsh(machine, { config, words, connect_ms, silent_s, deadline_ms: ssh_ms }),
): Promise<void> {
  const machines = site.machines.filter(({ name }) => deed.do !== "reboot" || name === deed.machine);
  const silent: string[] = [];
  for (const machine of machines) {
    const answer = await ask(machine, wordsOf(deed));
    if (!answer.ok) silent.push(`${machine.name}: ${answer.why}`);
    else if (answer.status === ssh_failed) {
      const { detail } = judgeSsh(machine.name, answer.address, answer.status, answer.stderr);
      // The reboot is quicker than its answer, now and then.
      if (deed.do === "reboot" && /closed by remote host|connection reset/i.test(answer.stderr)) return;
      silent.push(`${machine.name}: ${detail}`);
    } else return judgeAnswer(machine.name, answer.status, answer.stdout);
  }
  return fail(
    "DUET-E-PLANNED-UNHEARD",
    "machine" in deed ? deed.machine : site.name,
    `nobody could be asked over ssh: ${silent.join("; ")}`,
    "try `duet check`, or run it as root on one of the machines",
  );
}

const answered = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    problems: v.array(v.object({ code: v.string(), where: v.string(), what: v.string(), fix: v.string() })),
  }),
);

function judgeAnswer(name: string, status: number, stdout: string): void {
  if (status === 0) return;
  const told = v.safeParse(answered, stdout);
  if (told.success) {
    const problems: readonly Problem[] = told.output.problems;
    if (status !== exit.badInput)
      throw new DuetError(problems, status === exit.notHere ? exit.notHere : exit.failed);
  }
  return fail(
    "DUET-E-PLANNED-UNHEARD",
    name,
    status === exit.badInput
      ? "its duet is of another version, and does not know this word"
      : `duet there ended with status ${status}`,
    "run it as root on the machine itself",
  );
}
