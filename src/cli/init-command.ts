import { stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { DuetError, exit, type ExitStatus, fail, type Problem } from "../base/problem.ts";
import { shellWord } from "../base/text.ts";
import { errnoOf, exists, isMissing, replaceSynced } from "../machine/files.ts";
import { fieldFault } from "../site/field.ts";
import { readSite } from "../site/read.ts";
import { type Answers, siteTemplate } from "../site/template.ts";
import { hasFlags, type InitFlags, readFlags } from "./init-flags.ts";
import { askForSite, type Suggestions, type Terminal } from "./init-questions.ts";
import { printJson } from "./output.ts";

export interface InitOptions extends InitFlags {
  readonly force?: boolean;
  readonly json?: boolean;
}

export async function initCommand(
  file: string,
  options: InitOptions,
  terminal: Terminal | undefined = ownTerminal(),
): Promise<ExitStatus> {
  // Before the questions: nobody likes to answer ten of them for nothing.
  await refuseTarget(file, options.force === true);
  const answers = await gather(file, options, terminal);
  const text = siteTemplate(answers);
  const { problems } = readSite(text, file);
  if (problems.length > 0)
    throw new DuetError(
      problems.map((problem) => asWritten(problem, file)),
      exit.badInput,
    );
  await write(file, text, options.force === true);
  if (options.json === true) printJson({ file, written: true });
  else process.stdout.write(nextSteps(file, answers));
  return exit.ok;
}

function ownTerminal(): Terminal | undefined {
  return process.stdin.isTTY && process.stderr.isTTY
    ? { input: process.stdin, output: process.stderr }
    : undefined;
}

async function gather(file: string, flags: InitFlags, terminal: Terminal | undefined): Promise<Answers> {
  if (terminal === undefined || hasFlags(flags)) {
    const { answers, problems } = readFlags(flags);
    if (answers === undefined) throw new DuetError(problems, exit.badInput);
    return answers;
  }
  const answers = await askForSite(terminal, await suggest(file));
  if (answers === undefined)
    fail(
      "DUET-E-INIT-CLOSED",
      file,
      "the terminal was closed before the last answer",
      "nothing was written; start again",
      exit.badInput,
    );
  return answers;
}

async function suggest(file: string): Promise<Suggestions> {
  const folder = basename(dirname(resolve(file)));
  const keys = ["id_ed25519.pub", "id_ecdsa.pub", "id_rsa.pub"].map((name) => join(homedir(), ".ssh", name));
  const there = await Promise.all(keys.map(exists));
  return {
    name: fieldFault("name", folder) === undefined ? folder : "site1",
    ssh_key: keys.find((_, index) => there[index]) ?? "admin.pub",
  };
}

/** The user has not seen the file whose line it is. */
function asWritten(problem: Problem, file: string): Problem {
  return { ...problem, where: problem.where.replace(file, `${file} (as it would be, not written)`) };
}

async function write(file: string, text: string, force: boolean): Promise<void> {
  try {
    if (force) await replaceSynced(file, text);
    // `wx`: somebody may have written it while we asked.
    else await writeFile(file, text, { flag: "wx" });
  } catch (error) {
    const code = errnoOf(error);
    if (code === undefined) throw error;
    if (code === "EEXIST") refuseToOverwrite(file);
    cantWrite(file, code === "ENOENT" ? "there is no such folder" : code);
  }
}

/** Only a file may be overwritten, and only with --force: a folder can't be, and a device must not be. */
async function refuseTarget(file: string, force: boolean): Promise<void> {
  const found = await stat(file).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    return cantWrite(file, errnoOf(error) ?? String(error));
  });
  if (found?.isDirectory())
    cantWrite(file, "it is a folder", `name a file in it: ${join(file, "site.yaml")}`);
  if (found !== undefined && !force) refuseToOverwrite(file);
  if (found !== undefined && !found.isFile()) cantWrite(file, "it is no regular file");
}

function cantWrite(file: string, why: string, fix = "name another one"): never {
  fail("DUET-E-INIT-WRITE", file, `the site file can't be written: ${why}`, fix, exit.badInput);
}

function refuseToOverwrite(file: string): never {
  fail(
    "DUET-E-INIT-EXISTS",
    file,
    "the file is already there",
    "name another one, or add --force",
    exit.badInput,
  );
}

export function nextSteps(file: string, answers: Answers): string {
  const files = answers.machines.flatMap(({ credentials }) =>
    "file" in credentials ? [credentials.file] : [],
  );
  const variables = answers.machines.flatMap(({ credentials }) =>
    "env" in credentials ? [credentials.env] : [],
  );
  return [
    `${file} is written. Next:`,
    ...files.map(
      (name) =>
        // Never readable for others, not even before a chmod; and the password is in no argument and no history.
        `  (umask 077; cat > ${shellWord(isAbsolute(name) ? name : join(dirname(file), name))})    and type username:password of the BMC, Enter, Ctrl-D`,
    ),
    ...variables.map((name) => `  put username:password of the BMC into the environment variable ${name}`),
    `  duet check ${shellWord(file)}`,
    "",
  ].join("\n");
}
