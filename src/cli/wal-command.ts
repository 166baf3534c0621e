import { minorOf } from "../base/version.ts";
import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { paths } from "../base/paths.ts";
import { DuetError, type ExitStatus, exit, fail, type Problem } from "../base/problem.ts";
import { writeCommitRecord } from "../facts/commit-record.ts";
import { type Configuration, type MemberFacts, readMemberFacts } from "../facts/facts.ts";
import { printJson, printProblems } from "./output.ts";

/** `duet wal show`. */
export function show(folder: string, json: boolean): void {
  const facts = factsIn(folder);
  if (json) printJson(asJson(facts));
  else process.stdout.write(asText(facts));
}

/** `duet wal check`. */
export function check(folder: string, json: boolean): ExitStatus {
  const found = problemsIn(folder);
  if (found.problems.length > 0) {
    if (json) printJson({ sound: false, problems: found.problems });
    else printProblems(found.problems, false);
    return exit.failed;
  }
  const { facts } = found;
  if (json) printJson({ sound: true, problems: [], facts: facts && asJson(facts) });
  else if (facts !== undefined)
    process.stdout.write(
      `sound: ${facts.sizes.records} records in ${facts.sizes.segments} segments, up to entry ${facts.last.index} of term ${facts.last.term}${facts.torn === undefined ? "" : `; ${tornText(facts.torn)}`}\n`,
    );
  return exit.ok;
}

const force_flag = "--force-new-cluster";

/** `duet wal alone`. Where duet is at work it is the rules that say who may commit its log, and when. */
export async function alone(folder: string, json: boolean): Promise<void> {
  if (existsSync(paths.machine))
    fail(
      "DUET-E-WAL-ALONE-HERE",
      folder,
      "this is a machine of duet's: its own rules say when its etcd may serve alone",
      "see `duet status`, and `duet confirm-peer-down`",
      exit.notHere,
    );
  const { memberId, configurationCommitted: now, hardState } = factsIn(folder);
  if (now.unknown === undefined && now.voters.length === 1 && now.voters[0] === memberId) {
    if (json) printJson({ flags: [], commit: hardState.commit, written: false });
    return;
  }
  const data = dataFolder(resolve(folder));
  const { after, written } = await writeCommitRecord(data, `${data}.before-alone`);
  if (json) printJson({ flags: [force_flag], commit: after.commit, written });
  else process.stdout.write(`${force_flag}\n`);
}

function problemsIn(folder: string): { problems: readonly Problem[]; facts?: MemberFacts } {
  try {
    const facts = factsIn(folder);
    return { problems: weakSpots(facts), facts };
  } catch (error) {
    if (!(error instanceof DuetError) || error.status === exit.badInput) throw error;
    return { problems: error.problems };
  }
}

/** What is no reason to distrust the facts, and still not as it should be. */
function weakSpots({ snapshotsBroken, tailLost, applied, last }: MemberFacts): readonly Problem[] {
  const problems: Problem[] = snapshotsBroken.map(({ path, why }) => ({
    code: "DUET-E-WAL-SNAPSHOT",
    where: `${path}@0`,
    what: `this snapshot is committed, and its file does not load: ${why}`,
    fix: "etcd goes back to an older snapshot; see the disk's health",
  }));
  if (tailLost)
    problems.push({
      code: "DUET-E-BACKEND-AHEAD",
      where: "member/snap/db@0",
      what: `the database holds entry ${applied}, and the log ends at ${last.index}: the log's tail is lost`,
      fix: "do not start this data alone; let this machine join again while its peer serves",
    });
  return problems;
}

function factsIn(folder: string): MemberFacts {
  const facts = readMemberFacts(dataFolder(resolve(folder)));
  if (facts !== undefined) return facts;
  return fail(
    "DUET-E-WAL-NONE",
    folder,
    "there is no etcd data here",
    "name etcd's data folder, the one that holds `member`",
    exit.badInput,
  );
}

/** People also name the folder inside. */
function dataFolder(folder: string): string {
  if (existsSync(join(folder, "member"))) return folder;
  if (basename(folder) === "member") return dirname(folder);
  if (basename(folder) === "wal" && basename(dirname(folder)) === "member") return dirname(dirname(folder));
  return folder;
}

const hex = (id: bigint): string => id.toString(16);

function asJson(facts: MemberFacts): unknown {
  return JSON.parse(
    JSON.stringify(facts, (_key, value: unknown) => (typeof value === "bigint" ? hex(value) : value)),
  );
}

function asText(facts: MemberFacts): string {
  const { hardState, snapshot, first, last, sizes, applied } = facts;
  const rows: [string, string][] = [
    ["member", hex(facts.memberId)],
    ["cluster", hex(facts.clusterId)],
    ["standing", standingText(facts)],
    ["voters", membersText(facts.configuration)],
    ["log", first === undefined ? "empty after the snapshot" : `entries ${first.index} to ${last.index}`],
    ["last", `entry ${last.index}, term ${last.term}`],
    [
      "committed",
      `entry ${hardState.commit}${last.index > hardState.commit ? `, ${last.index - hardState.commit} behind the log` : ""}`,
    ],
    ["term", `${hardState.term}, voted for ${hardState.vote === 0n ? "nobody" : hex(hardState.vote)}`],
    ["snapshot", snapshot === undefined ? "none" : `entry ${snapshot.index}, term ${snapshot.term}`],
    ["database", applied === undefined ? "none" : `has applied entry ${applied}`],
    ["etcd", facts.version === undefined ? "not named" : `of ${minorOf(facts.version) ?? facts.version}`],
    [
      "files",
      `${sizes.segments} segments, ${sizes.bytes_used} of ${sizes.bytes} bytes used, ${sizes.records} records`,
    ],
  ];
  if (facts.torn !== undefined) rows.push(["tail", tornText(facts.torn)]);
  for (const { path, why } of facts.snapshotsBroken) rows.push(["broken", `${path}: ${why}`]);
  return rows.map(([name, value]) => `${name.padEnd(11)}${value}\n`).join("");
}

function standingText({ standing, standingCommitted, removalInLog, configuration }: MemberFacts): string {
  const notes = [
    ...(standing === standingCommitted ? [] : [`by what is committed: ${standingCommitted}`]),
    ...(removalInLog ? ["the log removes it"] : []),
    ...(configuration.unknown === undefined ? [] : [configuration.unknown]),
  ];
  return notes.length === 0 ? standing : `${standing} (${notes.join("; ")})`;
}

function membersText({ voters, learners }: Configuration): string {
  const learning = learners.length === 0 ? "" : `; learners ${learners.map(hex).join(", ")}`;
  return `${voters.map(hex).join(", ")}${learning}`;
}

const tornText = ({ path, offset }: { readonly path: string; readonly offset: number }): string =>
  `an unfinished record at ${path}@${offset} is left out`;
