import { join } from "node:path";
import * as v from "valibot";
import { run } from "../../src/machine/process.ts";

const point = v.object({ index: v.number(), term: v.number() });
const ids = v.array(v.string());
const configuration = v.object({ voters: ids, learners: ids, removed: ids, void: v.string() });
const answer = v.object({
  clusterId: v.string(),
  memberId: v.string(),
  term: v.number(),
  vote: v.string(),
  commit: v.number(),
  snapshot: v.nullable(point),
  entries: v.number(),
  last: point,
  whole: v.nullable(configuration),
  committed: v.nullable(configuration),
  consistentIndex: v.number(),
  error: v.optional(v.string()),
});

/** What etcd's own packages read in a data folder; `error` where they refuse. */
export type OracleAnswer = v.InferOutput<typeof answer>;

export async function askOracle(
  programs: string,
  folders: readonly string[],
): Promise<readonly OracleAnswer[]> {
  const { stdout } = await run([join(programs, "oracle"), ...folders], { deadline_ms: 120_000 });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => v.parse(answer, JSON.parse(line)));
}

/**
 * How many entries `etcd-dump-logs` lists after this snapshot, and the last one's index. Without a name it takes the newest
 * file, and fails where a kill came between that and its record in the log.
 */
export async function dumpLogs(
  programs: string,
  folder: string,
  snapshot: string | undefined,
): Promise<{ entries: number; last: number }> {
  const from = snapshot === undefined ? [] : ["-start-snap", snapshot];
  const { stdout } = await run([join(programs, "etcd-dump-logs"), ...from, folder], { deadline_ms: 60_000 });
  return {
    entries: Number(/^WAL entries: (\d+)$/m.exec(stdout)?.[1] ?? Number.NaN),
    last: Number(/^lastIndex=(\d+)$/m.exec(stdout)?.[1] ?? 0),
  };
}
