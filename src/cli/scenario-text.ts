import { DuetError, type ExitStatus, exit, fail, type Problem } from "../base/problem.ts";
import { readSmall, replaceSynced } from "../machine/files.ts";
import { formatScenario } from "../scenario/format.ts";
import { type Parsed, parseScenario } from "../scenario/parse.ts";
import { type Word, words } from "../scenario/words.ts";
import { printJson, printProblems } from "./output.ts";

const bytes_max = 256 * 1024;

export async function readText(file: string): Promise<string> {
  const read = await readSmall(file, bytes_max);
  if (read.ok) return read.text;
  return fail(
    "DUET-E-SCENARIO-FILE",
    file,
    `the file can't be read: ${read.why}`,
    "name a scenario, as in scenarios/node-failure.txt",
    exit.badInput,
  );
}

/** `duet scenario format`. A file that is not understood is told, and no file is changed. */
export async function formatFiles(
  files: readonly string[],
  flags: { readonly check?: boolean; readonly json?: boolean },
): Promise<ExitStatus> {
  const read: { readonly file: string; readonly text: string; readonly parsed: Parsed }[] = [];
  for (const file of files) {
    const text = await readText(file);
    read.push({ file, text, parsed: parseScenario(text, file) });
  }
  const problems = read.flatMap(({ parsed }) => parsed.problems);
  if (problems.length > 0) throw new DuetError(problems, exit.badInput);
  const changed = read
    .map(({ file, text }) => ({ file, text, tidy: formatScenario(text, file) }))
    .filter(({ text, tidy }) => text !== tidy);
  if (flags.check === true) return told(changed.map(untidy), flags.json === true);
  for (const { file, tidy } of changed) await replaceSynced(file, tidy);
  if (flags.json === true) printJson({ changed: changed.map(({ file }) => file) });
  else for (const { file } of changed) process.stdout.write(`${file} is formatted\n`);
  return exit.ok;
}

function told(problems: readonly Problem[], json: boolean): ExitStatus {
  if (json || problems.length > 0) printProblems(problems, json);
  return problems.length === 0 ? exit.ok : exit.failed;
}

function untidy({ file, text, tidy }: { file: string; text: string; tidy: string }): Problem {
  const [have, want] = [text.split("\n"), tidy.split("\n")];
  const line = have.findIndex((each, index) => each !== want[index]);
  return {
    code: "DUET-E-SCENARIO-FORMAT",
    where: `${file}:${Math.max(0, line) + 1}:1`,
    what: "from here on the file is not in its canonical form",
    fix: `duet scenario format ${file}`,
  };
}

const titles: Readonly<Record<Word["group"], string>> = {
  head: "At the head of a file",
  do: "What is done",
  until: "What is waited for",
  expect: "What must be so",
  slot: "What the capitals stand for",
};

/** `duet scenario words`. */
export function printWords(json: boolean): void {
  const all = words();
  if (json) {
    printJson(all);
    return;
  }
  for (const [group, title] of Object.entries(titles)) {
    const rows = all.filter((word) => word.group === group);
    process.stdout.write(`${title}\n`);
    for (const { say, means } of rows) process.stdout.write(`  ${say}\n      ${means}\n`);
    process.stdout.write("\n");
  }
}
