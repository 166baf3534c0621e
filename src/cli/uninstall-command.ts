import { createInterface } from "node:readline/promises";
import { describe, planUninstall, uninstall } from "../agents/uninstall.ts";
import { exit, type ExitStatus, fail } from "../base/problem.ts";
import { Progress } from "../machine/progress.ts";
import { onInterrupt } from "./interrupt.ts";
import { printJson } from "./output.ts";

export interface UninstallFlags {
  readonly yes?: boolean;
  readonly force?: string;
  readonly json?: boolean;
}

export async function uninstallCommand(flags: UninstallFlags): Promise<ExitStatus> {
  const plan = await planUninstall(flags.force === undefined ? {} : { force: flags.force });
  if (plan === undefined) {
    if (flags.json === true) printJson({ done: true, before: true });
    else process.stdout.write("duet was uninstalled here before: nothing is left to do\n");
    return exit.ok;
  }
  if (flags.json !== true) process.stdout.write(`${(await describe(plan)).join("\n")}\n\n`);
  if (flags.yes !== true && !(await consent())) {
    process.stderr.write("nothing was changed\n");
    return exit.failed;
  }
  onInterrupt("`duet uninstall` again goes on from here");
  const done = await uninstall(plan, new Progress());
  if (flags.json === true) printJson({ done: true, ...done });
  else
    process.stdout.write(`duet is off ${done.machine}. etcd's data is there: ${done.startEtcd} starts it\n`);
  return exit.ok;
}

async function consent(): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    fail(
      "DUET-E-UNINSTALL-CONFIRM",
      "duet uninstall",
      "there is no terminal to ask at; nothing was changed",
      "read what it will do (without --json), then say --yes",
      exit.badInput,
    );
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new AbortController();
  lines.once("close", () => closed.abort());
  try {
    return (await lines.question("Go on? (yes/no) ", { signal: closed.signal })).trim() === "yes";
  } catch {
    return false;
  } finally {
    lines.close();
  }
}
