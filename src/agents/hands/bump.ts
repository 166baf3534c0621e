import { randomBytes } from "node:crypto";
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type DiskEffects, done, failed, type Outcome, success } from "../../act/effects.ts";
import { raiseOf } from "../../decide/lineage.ts";
import { type MemberFacts, readMemberFacts } from "../../facts/facts.ts";
import { exists, readIfThere, replaceSynced, syncFolder } from "../../machine/files.ts";
import { run } from "../../machine/process.ts";
import { initialCluster, type NamedMember } from "../../render/etcd.ts";
import { putAside } from "./aside.ts";
import { failureOf, timer, within } from "./outcome.ts";
import { room_bytes_min, roomFor } from "./room.ts";
import { dropStaged, finishSwap, isBetween, stagedAt } from "./staged.ts";

export interface Bumping {
  readonly paths: { readonly etcdData: string; readonly kept: string };
  readonly self: NamedMember;
  readonly note: (why: string) => void;
  readonly etcdutl?: string;
}

/** In the member's own folder, so that it goes where the data goes: for which epoch its revisions were raised. */
const mark = (data: string): string => join(data, "member", "duet-raised");
const markText = (epoch: number): string => `${epoch}\n`;

/** Asked for what it can do: one that is too old is as good as none. */
const look_ms = 5_000;

export function bumpEffects(bumping: Bumping): Pick<DiskEffects, "bumpOf" | "stageBump" | "swapBump"> {
  const { paths, note, etcdutl = "etcdutl" } = bumping;
  const data = paths.etcdData;
  return {
    bumpOf: (epoch, deadline_ms) =>
      within<"done" | "possible" | "impossible">(deadline_ms, async () => {
        await finishSwap(data);
        if ((await readIfThere(mark(data))) === markText(epoch)) return success("done");
        if (await canRaise(etcdutl)) return success("possible");
        note("etcd's revisions can't be raised after the accepted loss: there is no etcdutl here that can");
        return success("impossible");
      }),
    stageBump: (epoch, deadline_ms) => within(deadline_ms, () => stage(bumping, epoch, timer(deadline_ms))),
    swapBump: (deadline_ms) => within(deadline_ms, () => swap(paths)),
  };
}

export async function canRaise(etcdutl = "etcdutl"): Promise<boolean> {
  const { stdout } = await run([etcdutl, "snapshot", "restore", "--help"], {
    accept: "any",
    deadline_ms: look_ms,
  });
  return stdout.includes("--bump-revision") && stdout.includes("--mark-compacted");
}

/** Made beside its place, synced, and given its name when it is whole: what a crash leaves is made anew. */
async function stage(bumping: Bumping, epoch: number, left_ms: () => number): Promise<Outcome> {
  const { paths, etcdutl = "etcdutl" } = bumping;
  const data = paths.etcdData;
  const before = readMemberFacts(data);
  if (before === undefined) return failed("failed", "there is no data");
  if ((before.applied ?? 0) < before.last.index)
    return failed(
      "changed",
      `the database holds entry ${before.applied ?? 0}, and the log ends at ${before.last.index}`,
    );
  const db = join(data, "member", "snap", "db");
  const wants = (await stat(db)).size + room_bytes_min;
  const free = roomFor(data);
  if (free !== undefined && free < wants)
    return failed("failed", `to raise the revisions takes ${wants} bytes, and ${free} are free`);
  await dropStaged(data);
  const beside = `${stagedAt(data)}.tmp`;
  await rm(beside, { recursive: true, force: true });
  try {
    const revision = await revisionIn(etcdutl, db, left_ms());
    if (revision === undefined) return failed("failed", "etcdutl does not say at which revision the data is");
    await restore(bumping, db, beside, raiseOf(epoch, revision), left_ms());
    if (!isAlone(readMemberFacts(beside)))
      return failed("failed", "what etcdutl made is not the data of an only voter");
    await replaceSynced(mark(beside), markText(epoch), 0o600);
    await syncAll(beside);
    await rename(beside, stagedAt(data));
    await syncFolder(dirname(data));
    return done;
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

/** Undefined: it does not say. */
async function revisionIn(etcdutl: string, db: string, deadline_ms: number): Promise<number | undefined> {
  const { stdout } = await run([etcdutl, "snapshot", "status", db, "--write-out=json"], { deadline_ms });
  const found = /"revision":(\d+)/.exec(stdout)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** As another cluster, by its token: no member of the old one, wherever it was kept, ever talks to this one. */
async function restore(
  { self, etcdutl = "etcdutl" }: Bumping,
  db: string,
  to: string,
  raise: number,
  deadline_ms: number,
): Promise<void> {
  await run(
    [
      etcdutl,
      "snapshot",
      "restore",
      db,
      // Only a snapshot that came over the wire has a hash at its end.
      "--skip-hash-check",
      `--data-dir=${to}`,
      `--name=${self.name}`,
      `--initial-cluster=${initialCluster([self])}`,
      `--initial-advertise-peer-urls=${self.peerUrls.join(",")}`,
      `--initial-cluster-token=duet-${randomBytes(8).toString("hex")}`,
      `--bump-revision=${raise}`,
      "--mark-compacted",
    ],
    { deadline_ms },
  );
}

const isAlone = (facts: MemberFacts | undefined): boolean =>
  facts !== undefined &&
  facts.standing === "voter" &&
  !facts.tailLost &&
  facts.configurationCommitted.unknown === undefined &&
  facts.configurationCommitted.voters.length === 1 &&
  facts.configurationCommitted.learners.length === 0;

async function swap(paths: Bumping["paths"]): Promise<Outcome> {
  const data = paths.etcdData;
  if (!(await exists(stagedAt(data)))) return failed("refused", "there is nothing to put in its place");
  if (!(await isBetween(data))) {
    try {
      const moved = await putAside(data, paths.kept);
      if (!moved.ok) return failed("refused", moved.failure.said);
    } catch (error) {
      const { failure } = failureOf(error);
      // What could not be synced was moved all the same.
      if (!(await isBetween(data))) return failed("refused", failure.said);
    }
  }
  await finishSwap(data);
  return done;
}

/** etcdutl syncs its log and not its database. */
async function syncAll(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await syncAll(path);
    else {
      await using file = await open(path, "r");
      await file.sync();
    }
  }
  await syncFolder(folder);
}
