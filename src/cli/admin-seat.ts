import { createInterface } from "node:readline/promises";
import type { Desk } from "../agents/admin/desk.ts";
import { machineDesk, requireMachine } from "../agents/admin/machine.ts";
import { type Shown, shownRows } from "../agents/admin/shown.ts";
import { labelled } from "../agents/status/layout.ts";
import { readAccepted } from "../decide/accepted.ts";
import type { Word } from "../decide/facts.ts";
import { DuetError, exit, type ExitStatus, fail } from "../base/problem.ts";

type Asks = Pick<Desk, "show" | "agreed" | "say">;
type AdminDesk = Awaited<ReturnType<typeof machineDesk>>;

/** Where an admin's command runs, and who reads it. A test has its own. */
export interface AdminPlace {
  readonly requireMachine: (command: string) => Promise<void>;
  readonly desk: (asks: Asks, wait_ms: number, terminal: boolean) => Promise<AdminDesk>;
  readonly isTerminal: () => boolean;
  /** What is shown and asked is on standard error: standard output is for the answer. */
  readonly tell: (text: string) => void;
  readonly answer: (text: string) => void;
}

export const thisMachine: AdminPlace = {
  requireMachine,
  desk: machineDesk,
  isTerminal: () => process.stdin.isTTY && process.stderr.isTTY,
  tell: (text) => process.stderr.write(text),
  answer: (text) => process.stdout.write(text),
};

export interface AdminOptions {
  readonly yes?: boolean;
  readonly wait: string;
  readonly json?: boolean;
}

export interface LossOptions extends AdminOptions {
  readonly acceptDataLoss?: string;
}

/** What stands behind `--accept-data-loss`. */
export function acceptOf(text: string | undefined, command: string): Word["accept"] {
  if (text === undefined) return undefined;
  const accepted = readAccepted(text);
  if (accepted !== undefined) return accepted;
  return fail(
    "DUET-E-USAGE",
    command,
    `--accept-data-loss takes the number of an epoch, \`unknown\`, or both (\`7,unknown\`), and not \`${text.slice(0, 40)}\``,
    "call it without the option: the refusal says what to name",
    exit.badInput,
  );
}

/** How it ended: as data, and as text for people. */
interface End {
  readonly data: { readonly shown: Shown };
  readonly text: string;
}

/** One command of an admin's, to its exit status. */
export async function atDesk(
  place: AdminPlace,
  command: string,
  { yes = false, wait, json = false }: AdminOptions,
  work: (desk: AdminDesk) => Promise<End>,
): Promise<ExitStatus> {
  const patience_ms = wait_ms(wait);
  await place.requireMachine(command);
  requireAsking(place, command, yes);
  const answerJson = (value: unknown) => place.answer(`${JSON.stringify(value, null, 2)}\n`);
  let seen: Shown | undefined;
  const asks = asking(place, yes);
  const show = (shown: Shown) => {
    seen = shown;
    // Then it is part of the answer.
    if (!json || !yes) asks.show(shown);
  };
  const desk = await place.desk({ ...asks, show }, patience_ms, place.isTerminal());
  try {
    const { data, text } = await work(desk);
    if (json) answerJson(data);
    else place.answer(text);
    return exit.ok;
  } catch (error) {
    // Who reads a script's log has to see on what it was refused.
    if (!json || seen === undefined || !(error instanceof DuetError)) throw error;
    answerJson({ problems: error.problems, shown: seen });
    return error.status;
  }
}

const indent = 18;
const width_max = 100;
const wait_s_max = 3600;

function wait_ms(text: string): number {
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds <= wait_s_max) return seconds * 1000;
  return fail(
    "DUET-E-USAGE",
    "--wait",
    `it takes whole seconds, ${wait_s_max} at most, and not \`${text.slice(0, 40)}\``,
    "write `--wait 180`",
    exit.badInput,
  );
}

/** Before anything is looked at: a script that forgot --yes is told so at once. */
function requireAsking({ isTerminal }: AdminPlace, command: string, yes: boolean): void {
  if (yes || isTerminal()) return;
  fail(
    "DUET-E-ADMIN-NO-TERMINAL",
    command,
    "there is no terminal to ask at",
    `in a script: \`${command} --yes\``,
    exit.notHere,
  );
}

function asking({ tell }: AdminPlace, yes: boolean): Asks {
  const width = Math.min(width_max, process.stderr.columns ?? width_max);
  let last = "";
  return {
    show: (shown) => {
      for (const [label, text] of shownRows(shown, Date.now()))
        tell(`${labelled(label, text, indent, width).join("\n")}\n`);
    },
    agreed: async (question, answer) => {
      if (yes) return true;
      tell(`\n${labelled("", question, 0, width).join("\n")}\n`);
      return (await ask(`Type ${answer} to say so: `)) === answer;
    },
    say: (text) => {
      if (text !== "" && text !== last) tell(`  … ${text}\n`);
      last = text;
    },
  };
}

/** Undefined: the terminal was closed. */
async function ask(prompt: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new AbortController();
  lines.once("close", () => closed.abort());
  try {
    return (await lines.question(prompt, { signal: closed.signal })).trim();
  } catch (error) {
    if (closed.signal.aborted) return undefined;
    throw error;
  } finally {
    lines.close();
  }
}
