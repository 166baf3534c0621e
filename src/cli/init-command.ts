import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { DuetError, exit, type ExitStatus, fail, type Problem } from "../base/problem.ts";
import { exists, replaceSynced } from "../machine/files.ts";
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
  if (options.force !== true && (await exists(file))) refuseToOverwrite(file);
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
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "") throw error;
    if (code === "EEXIST") refuseToOverwrite(file);
    fail("DUET-E-INIT-WRITE", file, `the file can't be written: ${code}`, "name another one", exit.badInput);
  }
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

function nextSteps(file: string, answers: Answers): string {
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
        `  write username:password of the BMC into ${isAbsolute(name) ? name : join(dirname(file), name)}, then chmod 600 it`,
    ),
    ...variables.map((name) => `  put username:password of the BMC into the environment variable ${name}`),
    `  duet check ${file}`,
    "",
  ].join("\n");
}
