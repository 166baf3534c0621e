import manifest from "../../package.json" with { type: "json" };
import { type ExitStatus, exit, type Problem } from "../base/problem.ts";
import { type Answer, type Difference, type Replay, replay } from "../record/replay.ts";
import { printJson, printProblems } from "./output.ts";
import { type RecordOptions, recordsFor, silentText } from "./records.ts";

const told_max = 20;

export interface ReplayOptions extends RecordOptions {
  readonly json?: boolean;
}

export async function replayCommand(files: readonly string[], options: ReplayOptions): Promise<ExitStatus> {
  const records = await recordsFor(files, options);
  const { entries, damage, cut, silent } = records;
  const result = replay(entries);
  if (options.json === true)
    printJson({ ...asJson(result), silent: Object.fromEntries(silent), cut, damage });
  else {
    tell(result, damage);
    process.stdout.write(silentText(records));
  }
  if (result.differences.length > 0) return exit.failed;
  return damage.length > 0 ? exit.badInput : exit.ok;
}

function asJson({ decisions, versions, rules, differences }: Replay): object {
  return {
    duet: manifest.version,
    decisions,
    recordedBy: Object.fromEntries(versions),
    rules: Object.fromEntries(rules),
    differences,
  };
}

function tell(result: Replay, damage: readonly Problem[]): void {
  const { decisions, differences, rules } = result;
  printProblems(damage, false);
  printProblems(differences.slice(0, told_max).map(problem), false);
  if (differences.length > told_max)
    process.stderr.write(`… and ${differences.length - told_max} more that differ\n`);
  const same = decisions - differences.length;
  process.stdout.write(
    `${same} of ${decisions} decisions are the same, by ${rules.size} rules; recorded by ${versionsText(result)}, replayed by duet ${manifest.version}\n`,
  );
}

const versionsText = ({ versions }: Replay): string =>
  versions.size === 0 ? "nobody" : [...versions.keys()].map((version) => `duet ${version}`).join(", ");

function problem({ entry, recorded, replayed }: Difference): Problem {
  const { file, line, at, machine, question, duet } = entry;
  const upgraded = duet !== manifest.version;
  return {
    code: "DUET-E-RECORD-DIFFERS",
    where: `${file}:${line}`,
    what: `${machine} at ${at}, question ${question}: recorded ${answerText(recorded)}; replayed ${answerText(replayed)}`,
    fix: upgraded
      ? `it was recorded by duet ${duet}, and this is ${manifest.version}: see CHANGELOG.md whether this rule was changed`
      : "the same version decided otherwise: please report it, with this file",
  };
}

const answerText = ({ decision, path }: Answer): string =>
  `${JSON.stringify(decision)} by ${path.join(" → ")}`;
