import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Effects, type LogFacts, type Outcome, success, type UnitEffects } from "../../act/effects.ts";
import { paths } from "../../base/paths.ts";
import { DuetError } from "../../base/problem.ts";
import { firstTurn } from "../../decide/race.ts";
import { readConsistentIndex } from "../../facts/bolt.ts";
import { readMemberFacts } from "../../facts/facts.ts";
import { exists, replaceSynced } from "../../machine/files.ts";
import { moveAside } from "./aside.ts";
import { no_log } from "./disk.ts";
import { failureOf } from "./outcome.ts";

export interface Places {
  readonly firstStart: string;
  readonly etcdData: string;
  readonly kept: string;
  readonly begun: string;
}

/**
 * How far the data has come. etcd makes its database first, then its log beside its place (`wal.tmp`), and it writes the new
 * cluster's one member with the first commit: until that is synced nobody was answered, and etcd itself could not go on from there.
 */
type Progress = "none" | "cut short" | "over" | "unreadable";

async function progressOf(data: string): Promise<Progress> {
  const member = join(data, "member");
  if (!(await exists(member))) return "none";
  if (!(await exists(join(member, "wal")))) return await withoutLog(join(member, "snap"));
  try {
    const facts = readMemberFacts(data);
    return facts === undefined || facts.hardState.commit === 0 ? "cut short" : "over";
  } catch (error) {
    if (error instanceof DuetError) return "unreadable";
    throw error;
  }
}

/** A log that is gone is another thing than one that never was: then something of it was applied. */
async function withoutLog(snap: string): Promise<Progress> {
  const names = (await exists(snap)) ? await readdir(snap) : [];
  if (names.some((name) => name.endsWith(".snap"))) return "unreadable";
  if (!names.includes("db")) return "cut short";
  try {
    return readConsistentIndex(join(snap, "db")) === 0 ? "cut short" : "unreadable";
  } catch (error) {
    // A file that the power cut left half written.
    if (error instanceof DuetError) return "cut short";
    throw error;
  }
}

const attribute_ms = 3_000;

/** Setup has said so, and there is no data that it would hide. The note goes with the first data, and what is left says that there was some. */
export async function isNew(
  where: Pick<Places, "firstStart" | "etcdData" | "begun"> = paths,
): Promise<boolean> {
  if (!(await exists(where.firstStart))) return false;
  const progress = await progressOf(where.etcdData);
  if (progress === "over") await noteBegun(where.begun);
  if (await exists(where.begun)) {
    await rm(where.firstStart, { force: true });
    return false;
  }
  return progress === "none" || progress === "cut short";
}

/** Synced, before anything that says the contrary is gone. */
export const noteBegun = (path: string = paths.begun): Promise<void> => replaceSynced(path, "");

/**
 * Setup has said so on both machines, and nothing speaks against it: a machine with a new disk has a note of setup's too, and a peer
 * that holds data, or has held some, or a turn in the race that would be this machine's first one. The note stays until a log can be
 * read that has begun: a first start that a power cut ended is done again.
 */
export async function isFirstStart(
  readPeer: Effects["attributes"]["readPeer"],
  me: string,
  peerName: string,
  where: Pick<Places, "firstStart" | "etcdData" | "begun"> = paths,
): Promise<boolean> {
  if (!(await isNew(where))) return false;
  const said = await readPeer(attribute_ms);
  if (!said.ok || said.value?.isNew !== true) return false;
  const { holding, turn } = said.value;
  return !holding.data && holding.lineage === undefined && turn !== firstTurn(me, peerName);
}

/** What a first start left that was cut short is no data, and is out of the way before the next one. */
export function redoingFirst(
  unit: UnitEffects,
  inspect: () => Promise<Outcome<LogFacts>>,
  mayRun: () => Promise<boolean>,
  where: Omit<Places, "begun"> = paths,
): { readonly unit: UnitEffects; readonly inspect: () => Promise<Outcome<LogFacts>> } {
  // While etcd may run the data is what it makes of it.
  const isCutShort = async () =>
    (await exists(where.firstStart)) &&
    (await progressOf(where.etcdData)) === "cut short" &&
    !(await mayRun());
  return {
    inspect: async () => {
      try {
        return (await isCutShort()) ? success(no_log) : await inspect();
      } catch (error) {
        return failureOf(error);
      }
    },
    unit: {
      ...unit,
      start: async (how, deadline_ms) => {
        try {
          if (how === "first" && (await isCutShort())) {
            const moved = await moveAside(where.etcdData, where.kept);
            if (!moved.ok) return moved;
          }
        } catch (error) {
          return failureOf(error);
        }
        return await unit.start(how, deadline_ms);
      },
    },
  };
}
