import { createInterface } from "node:readline/promises";
import type { Desk } from "../agents/admin/desk.ts";
import { shownRows } from "../agents/admin/shown.ts";
import { labelled } from "../agents/status/layout.ts";
import { exit, fail } from "../base/problem.ts";

export const isTerminal = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

const indent = 18;
const width_max = 100;
const wait_s_max = 3600;

export function wait_ms(text: string): number {
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
export function requireAsking(command: string, yes: boolean): void {
  if (yes || isTerminal()) return;
  fail(
    "DUET-E-ADMIN-NO-TERMINAL",
    command,
    "there is no terminal to ask at",
    `in a script: \`${command} --yes\``,
    exit.notHere,
  );
}

/** What is shown and asked is on standard error: standard output is for the answer. */
export function seatAt(yes: boolean, json: boolean): Pick<Desk, "show" | "agreed" | "say"> {
  const out = process.stderr;
  const width = Math.min(width_max, out.columns ?? width_max);
  let last = "";
  return {
    show: (shown) => {
      if (json && yes) return;
      for (const [label, text] of shownRows(shown, Date.now()))
        out.write(`${labelled(label, text, indent, width).join("\n")}\n`);
    },
    agreed: async (question, answer) => {
      if (yes) return true;
      out.write(`\n${labelled("", question, 0, width).join("\n")}\n`);
      return (await ask(`Type ${answer} to say so: `)) === answer;
    },
    say: (text) => {
      if (text !== "" && text !== last) out.write(`  … ${text}\n`);
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
