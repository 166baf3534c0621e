import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type DiskEffects, done, type LogFacts, type Outcome, success } from "../../act/effects.ts";
import { DuetError } from "../../base/problem.ts";
import { writeCommitRecord } from "../../facts/commit-record.ts";
import { type MemberFacts, readMemberFacts } from "../../facts/facts.ts";
import { keepWal } from "../../facts/keep.ts";
import { segmentNames } from "../../facts/names.ts";
import { readState } from "../../facts/state.ts";
import { sleep } from "../../machine/clock.ts";
import { exists } from "../../machine/files.ts";
import type { NamedMember } from "../../render/etcd.ts";
import { hashKept, moveAside } from "./aside.ts";
import { bumpEffects } from "./bump.ts";
import { failureOf, timer, within } from "./outcome.ts";
import { dataAt } from "./staged.ts";
import { stateFile } from "./state-file.ts";

export interface Disk {
  /** As in src/base/paths.ts. */
  readonly paths: { readonly etcdData: string; readonly state: string; readonly kept: string };
  /** Whether etcd runs on the data, or may. */
  readonly isRunning: () => Promise<boolean>;
  /** For the recorder: why a log can't be judged. */
  readonly note: (why: string) => void;
  /** Under which name and addresses the others know this machine's member. */
  readonly self: NamedMember;
  /** Replaced by tests. */
  readonly etcdutl?: string;
}

/** What reads the data and never writes it: that is done by who is at no site any more, too. */
export const readingDisk = ({
  paths,
  isRunning,
  note,
}: Omit<Disk, "self">): Pick<DiskEffects, "inspect"> => ({
  inspect: async () => {
    const reading = await readCalmly(await dataAt(paths), isRunning);
    if (typeof reading !== "string") return success(logFacts(reading, note));
    note(reading);
    return success({ ...no_log, data: true, standing: "unknown" });
  },
});

export function diskEffects(disk: Disk): Omit<DiskEffects, "isNew"> {
  const { paths, isRunning, note } = disk;
  const copyOf = (epoch: number) => join(paths.kept, `epoch-${epoch}`);
  return {
    ...stateFile(paths.state),
    ...readingDisk(disk),
    ...bumpEffects(disk),
    logEnd: async () => {
      try {
        if (await isRunning()) return success(undefined);
        return success(readMemberFacts(await dataAt(paths))?.last);
      } catch (error) {
        return failureOf(error);
      }
    },
    moveAside: async (deadline_ms) => {
      const left_ms = timer(deadline_ms);
      const moved = await within(left_ms(), () => moveAside(paths.etcdData, paths.kept));
      if (!moved.ok) return moved;
      // A large or a bad disk must not keep this machine from joining: the data is safe, and the next call hashes it.
      const hashed = await within(left_ms(), () => hashKept(paths.kept));
      if (!hashed.ok) note(`data was moved aside, and has no hashes yet: ${hashed.failure.said}`);
      return done;
    },
    syncLog: (deadline_ms) =>
      within(deadline_ms, async () => {
        const wal = join(paths.etcdData, "member", "wal");
        const names = (await exists(wal)) ? segmentNames(wal, await readdir(wal)) : [];
        // What is older was synced before the next one was begun.
        for (const { name } of names.slice(-2)) {
          await using segment = await open(join(wal, name), "r+");
          await segment.sync();
        }
        return done;
      }),
    keepWal: (epoch, deadline_ms) =>
      within(deadline_ms, async () => {
        const wal = join(paths.etcdData, "member", "wal");
        const names = segmentNames(wal, await readdir(wal));
        await keepWal(
          names.map(({ name }) => join(wal, name)),
          copyOf(epoch),
        );
        return done;
      }),
    commitLog: (deadline_ms) => within(deadline_ms, () => commitLog(paths, copyOf)),
  };
}

/** The copy is the one that `keepWal` has made for the epoch that this machine has written down. */
async function commitLog(paths: Disk["paths"], copyOf: (epoch: number) => string): Promise<Outcome> {
  const state = await readState(paths.state);
  await writeCommitRecord(paths.etcdData, copyOf(state?.lineage?.epoch ?? 0));
  return done;
}

export const no_log: LogFacts = {
  data: false,
  standing: "none",
  soleVoter: false,
  removalInLog: false,
  tailLost: false,
  others: "",
};

function logFacts(facts: MemberFacts | undefined, note: Disk["note"]): LogFacts {
  if (facts === undefined) return no_log;
  const { memberId, configuration, configurationCommitted: committed } = facts;
  if (configuration.unknown !== undefined) note(configuration.unknown);
  if (facts.tailLost)
    note(`the database holds entry ${facts.applied}, and the log ends at ${facts.last.index}`);
  for (const { path, why } of facts.snapshotsBroken) note(`${path}: ${why}`);
  const others = [...configuration.voters, ...configuration.learners]
    .filter((id) => id !== memberId)
    .toSorted((a, b) => (a < b ? -1 : 1));
  return {
    data: true,
    standing: facts.standing,
    soleVoter:
      committed.unknown === undefined && committed.voters.length === 1 && committed.voters[0] === memberId,
    removalInLog: facts.removalInLog,
    tailLost: facts.tailLost,
    others: others.map((id) => id.toString(16)).join(","),
    version: facts.version,
  };
}

const tries_max = 10;
const pause_ms = 50;

/**
 * The facts, or why there are none. Read under a running etcd, which begins a segment in the very moment, or writes to its
 * database, a sound log can look torn or cut: so one that looks bad is read again while etcd runs, until it looks bad in the
 * same way twice. What etcd writes moves on; damage stays where it is.
 */
async function readCalmly(
  folder: string,
  isRunning: Disk["isRunning"],
): Promise<MemberFacts | undefined | string> {
  let before: string | undefined;
  for (let tries = 1; ; tries += 1) {
    const reading = readOnce(folder);
    const fault = faultOf(reading);
    if (fault === undefined || fault === before || tries === tries_max) return reading;
    if (!(await isRunning())) return readOnce(folder);
    before = fault;
    await sleep(pause_ms);
  }
}

function faultOf(reading: MemberFacts | undefined | string): string | undefined {
  if (typeof reading === "string") return reading;
  return reading?.tailLost === true ? `${reading.applied} > ${reading.last.index}` : undefined;
}

function readOnce(folder: string): MemberFacts | undefined | string {
  try {
    return readMemberFacts(folder);
  } catch (error) {
    if (error instanceof DuetError) return error.message;
    throw error;
  }
}
