import * as v from "valibot";
import { run } from "./process.ts";

/**
 * What Corosync and Pacemaker wrote about the two machines, as far as it belongs to a failover. `waited_ms`: for the token; older
 * versions of Corosync do not tell. `what`: `peer lost`, `peer member`, `off asked`, `off done`, `off failed`, `pre-stop`, `post-stop`,
 * `stop`, and so on.
 */
export type ClusterWord = { readonly at_ms: number } & (
  | { readonly kind: "token lost"; readonly waited_ms: number | undefined }
  | { readonly kind: "membership"; readonly ring: string; readonly members: readonly number[] }
  | { readonly kind: "pacemaker"; readonly what: string; readonly of: string }
);

/** What one reading gives at most. The next one goes on behind it. */
const lines_max = 2_000;

const journal = [
  "journalctl",
  "--boot",
  `--lines=${lines_max}`,
  "--output=json",
  "--output-fields=MESSAGE,SYSLOG_IDENTIFIER,_SOURCE_REALTIME_TIMESTAMP",
  "--no-pager",
  "--quiet",
  "--identifier=corosync",
  "--identifier=pacemaker-controld",
  "--identifier=pacemaker-fenced",
] as const;

/** What was not read yet; `cursor` is a file that keeps how far that is. Throws DuetError where the journal does not tell. */
export async function newWords(
  cursor: string,
  resource: string,
  deadline_ms: number,
): Promise<readonly ClusterWord[]> {
  const { stdout } = await run([...journal, `--cursor-file=${cursor}`], { deadline_ms });
  return parseWords(stdout, resource);
}

/**
 * Did the machine that last left the membership say so? Corosync sends a leave message when it is stopped in order, and never when its
 * machine loses its power, hangs or is cut off. False also where the journal does not tell.
 */
export async function saidGoodbye(deadline_ms: number): Promise<boolean> {
  const { stdout } = await run(
    ["journalctl", "--boot", "--lines=40", "--output=cat", "--no-pager", "--quiet", "--identifier=corosync"],
    { deadline_ms, accept: "any" },
  );
  return goodbyeIn(stdout);
}

/** Of Corosync's own lines, the oldest first. */
export function goodbyeIn(text: string): boolean {
  const lines = text.split("\n").map((line) => line.trim());
  const formed = (line: string) => line.startsWith("[TOTEM ] A new membership (");
  const last = lines.findLastIndex(formed);
  const before = lines.slice(0, Math.max(0, last)).findLastIndex(formed);
  const silent = lines
    .slice(before + 1)
    .some((line) => /^\[TOTEM \] (A processor failed|Failed to receive the leave message)/.test(line));
  return !silent && / Members (joined: [\d ]+)?left: \d/.test(lines[last] ?? "");
}

const count = v.pipe(v.string(), v.regex(/^\d+$/), v.transform(Number));
const [monotonic, taken, written] = [
  "__MONOTONIC_TIMESTAMP",
  "__REALTIME_TIMESTAMP",
  "_SOURCE_REALTIME_TIMESTAMP",
] as const;
const entry = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    MESSAGE: v.string(),
    SYSLOG_IDENTIFIER: v.string(),
    [monotonic]: count,
    [taken]: count,
    [written]: v.optional(count),
  }),
);

const late_us_max = 10_000_000;

/** When it was written: on a busy machine the journal takes it tens of milliseconds later. */
function writtenAt_ms({
  [monotonic]: at_us,
  [taken]: taken_us,
  [written]: written_us,
}: JournalEntry): number {
  const late_us = taken_us - (written_us ?? taken_us);
  // A clock that was set in between tells nothing.
  const known = late_us >= 0 && late_us < late_us_max;
  return (at_us - (known ? late_us : 0)) / 1000;
}
type JournalEntry = v.InferOutput<typeof entry>;

/** One line of JSON for each entry of the journal. Times are on the clock that never jumps. */
export function parseWords(text: string, resource: string): readonly ClusterWord[] {
  const found: ClusterWord[] = [];
  let members: readonly number[] = [];
  for (const line of text.split("\n")) {
    const parsed = v.safeParse(entry, line);
    if (!parsed.success) continue;
    const { MESSAGE, SYSLOG_IDENTIFIER } = parsed.output;
    const at_ms = writtenAt_ms(parsed.output);
    const message = MESSAGE.trim();
    // Told right before the membership that they are the members of.
    const sync = /^\[QUORUM\] Sync members\[\d+\]: ([\d ]+)$/.exec(message)?.[1];
    if (sync !== undefined) members = sync.trim().split(/ +/).map(Number);
    const word = wordOf(SYSLOG_IDENTIFIER, message, members, resource);
    if (word !== undefined) found.push({ at_ms, ...word });
  }
  return found;
}

type Word = ClusterWord extends infer W ? (W extends { at_ms: number } ? Omit<W, "at_ms"> : never) : never;

function wordOf(
  program: string,
  message: string,
  members: readonly number[],
  resource: string,
): Word | undefined {
  if (program === "corosync") return corosync(message, members);
  const text = message.replace(/^(notice|warning|error): /, "");
  return program === "pacemaker-fenced" ? fencer(text) : controller(text, resource);
}

function corosync(message: string, members: readonly number[]): Word | undefined {
  if (message.startsWith("[TOTEM ] A processor failed, forming new configuration")) {
    const waited = /token timed out \((\d+)ms\)/.exec(message)?.[1];
    return { kind: "token lost", waited_ms: waited === undefined ? undefined : Number(waited) };
  }
  const ring = /^\[TOTEM \] A new membership \(([0-9a-f]+\.[0-9a-f]+)\) was formed/.exec(message)?.[1];
  return ring === undefined ? undefined : { kind: "membership", ring, members };
}

const said = (what: string, of = ""): Word => ({ kind: "pacemaker", what, of });

function fencer(text: string): Word | undefined {
  const done = /^Operation '(?:off|reboot)' targeting (\S+) by .*: (OK)?/.exec(text);
  return done === null ? undefined : said(done[2] === undefined ? "off failed" : "off done", done[1]);
}

/** Of actions, those that the coordinator orders, on the machine that coordinates. Monitors tell nothing new. */
function controller(text: string, resource: string): Word | undefined {
  const state = /^Node (\S+) state is now (lost|member)$/.exec(text);
  if (state !== null) return said(`peer ${state[2] ?? ""}`, state[1]);
  const asked = /^Requesting fencing \((?:off|reboot)\) targeting node (\S+)$/.exec(text);
  if (asked !== null) return said("off asked", asked[1]);
  const action = /^Initiating (\w+) operation (\S+)_0 (?:locally )?on (\S+)$/.exec(text);
  if (action === null) return undefined;
  const [, operation = "", key = "", machine = ""] = action;
  const [name = "", ...rest] = key.split("_");
  if (name.split(":")[0] !== resource) return undefined;
  if (operation === "notify") return said(`${rest[0] ?? ""}-${rest[2] ?? ""}`, machine);
  return operation === "monitor" ? undefined : said(operation, machine);
}
