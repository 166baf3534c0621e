import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Verdict } from "../../decide/decide.ts";
import { pageCommand } from "./page.ts";

/** Where a login prompt shows it above itself (agetty(8)); in /run, so that no reboot keeps it. */
export const issueFile = "/run/issue.d/50-duet.issue";
/** Touched, it makes every prompt that waits draw itself anew. */
const reloadFile = "/run/agetty.reload";

const told: ReadonlySet<string> = new Set(["wait", "prove-off", "needs-human", "stop-and-alarm"]);

export interface ConsoleFiles {
  readonly issue: string;
  readonly reload: string;
}

/**
 * Who stands before a machine that waits, or that calls somebody, reads why on its screen; when that is over the words are gone.
 * Only files: nothing that decides waits for a terminal. It never fails for who decides.
 */
export function tellConsole(
  { rule, decision, sentence }: Verdict,
  files: ConsoleFiles = { issue: issueFile, reload: reloadFile },
): void {
  const text = told.has(decision.do)
    ? `duet: ${plain(sentence)} (${rule}; \`${pageCommand(rule)}\`, \`duet status\`)\n\n`
    : undefined;
  try {
    if (shown(files.issue) === text) return;
    if (text === undefined) rmSync(files.issue, { force: true });
    else {
      const folder = dirname(files.issue);
      if (!existsSync(folder)) mkdirSync(folder);
      writeFileSync(`${files.issue}.${process.pid}`, text);
      renameSync(`${files.issue}.${process.pid}`, files.issue);
    }
    writeFileSync(files.reload, "");
  } catch {
    // The journal and `duet status` tell it too.
  }
}

function shown(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** A backslash begins a command of agetty's. */
const plain = (text: string): string => text.replaceAll(/[\p{Cc}\\]+/gu, " ");
