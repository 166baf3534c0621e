import * as v from "valibot";
import { DuetError, exit, type ExitStatus, fail } from "../base/problem.ts";
import type { Machine } from "../site/site.ts";
import { callBySsh, judgeSsh } from "./check/ssh.ts";

const connect_ms = 3_000;
const ssh_failed = 255;
const not_found = 127;
const problemsShape = v.object({
  problems: v.array(v.object({ code: v.string(), where: v.string(), what: v.string(), fix: v.string() })),
});

export interface RemoteCall {
  /** Of duet's command there, without `--json`. */
  readonly words: readonly string[];
  readonly ssh_config: string | undefined;
  readonly deadline_ms: number;
  readonly input?: string;
}

const statuses: ReadonlyMap<number, ExitStatus> = new Map(
  Object.values(exit).map((status) => [status, status]),
);

/**
 * Runs a command of duet on a machine over ssh and gives what it tells; what is wrong there is thrown as if it were wrong here.
 * `DUET-E-SEAT-SSH`: nobody let in, so nothing was begun there. `DUET-E-SEAT-ANSWER`: it may have been.
 */
export async function callDuet<S extends v.GenericSchema>(
  machine: Machine,
  shape: S,
  { words, ssh_config, deadline_ms, input }: RemoteCall,
): Promise<v.InferOutput<S>> {
  const answer = await callBySsh(machine, {
    config: ssh_config,
    words: [...words, "--json"],
    connect_ms,
    deadline_ms,
    ...(input === undefined ? {} : { input }),
  });
  if (!answer.ok)
    return fail(
      "DUET-E-SEAT-SSH",
      machine.name,
      answer.why,
      "see that it is on, and that its addresses are those of the site file",
    );
  const { status, stdout, stderr, address } = answer;
  const told = v.safeParse(v.pipe(v.string(), v.parseJson(), problemsShape), stdout);
  if (told.success) throw new DuetError(told.output.problems, statuses.get(status) ?? exit.failed);
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), stdout);
  if (parsed.success) return parsed.output;
  const { detail, fix = "" } = judgeSsh(machine.name, address, status, stderr);
  const isSsh = status === ssh_failed || status === not_found;
  return fail(
    "DUET-E-SEAT-ANSWER",
    machine.name,
    isSsh
      ? detail
      : `\`duet ${words[0] ?? ""}\` there ended with status ${status} and told nothing that can be read`,
    isSsh
      ? fix
      : "see that both machines and this computer have the same version of duet; `duet status` shows it",
  );
}

/** The next one only where the one before failed of what `next` names: what may have been begun is not begun elsewhere too. */
export async function onFirst<T>(
  machines: readonly Machine[],
  next: ReadonlySet<string>,
  work: (machine: Machine) => Promise<T>,
): Promise<T> {
  const problems: DuetError["problems"][number][] = [];
  for (const machine of machines) {
    try {
      return await work(machine);
    } catch (error) {
      if (!(error instanceof DuetError) || error.problems.some(({ code }) => !next.has(code))) throw error;
      problems.push(...error.problems);
    }
  }
  throw new DuetError(problems);
}
