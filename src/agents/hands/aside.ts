import { open, readdir, rename } from "node:fs/promises";
import { join, relative } from "node:path";
import { done, failed, type Outcome } from "../../act/effects.ts";
import { hashFile, hashOneKept, sums_name } from "../../facts/keep.ts";
import { lockSegment } from "../../facts/lock.ts";
import { errnoOf, exists, isMissing, makeFolder, replaceSynced, syncFolder } from "../../machine/files.ts";
import { isHalf } from "./half.ts";
import { removeCopies } from "./prune.ts";
import { dropStaged, finishSwap } from "./staged.ts";

/**
 * `aside-0001`, …: in the order in which they were put there, whatever the clock said. `half-0001`, … for what a join left behind
 * that did not come to its end.
 */
type Kind = "aside" | "half";
const forms: Readonly<Record<Kind, RegExp>> = { aside: /^aside-([0-9]{4,})$/, half: /^half-([0-9]{4,})$/ };

/** With all that belongs to it: what was made of it beside it is gone, or is the data where a swap was cut short. */
export async function moveAside(data: string, kept: string): Promise<Outcome> {
  await finishSwap(data);
  await dropStaged(data);
  return await putAside(data, kept);
}

/**
 * Puts etcd's data among the kept copies, by its name: that is done at once, however large it is. Nothing is replaced, and
 * nothing deleted that anybody could want: of halves the last one stays, or a join that fails again and again fills the disk.
 */
export async function putAside(data: string, kept: string): Promise<Outcome> {
  const member = join(data, "member");
  if (!(await exists(member))) return done;
  await using lock = await lockNewest(join(member, "wal"));
  void lock;
  await makeFolder(kept, 0o700);
  const kind: Kind = (await isHalf(data)) ? "half" : "aside";
  const name = await freeName(kept, kind);
  const target = join(kept, name);
  await makeFolder(target, 0o700);
  try {
    await rename(member, join(target, "member"));
  } catch (error) {
    if (errnoOf(error) !== "EXDEV") throw error;
    return failed(
      "failed",
      `${data} and ${kept} are on two file systems: data can't be moved from one to the other`,
    );
  }
  for (const folder of [target, kept, data]) await syncFolder(folder);
  if (kind === "half") {
    const older = (await namesIn(kept)).filter((each) => forms.half.test(each) && each !== name);
    await removeCopies(kept, older);
  }
  return done;
}

/** etcd's own lock: the data of one that runs is not to be pulled away from under it. */
async function lockNewest(wal: string): Promise<AsyncDisposable | undefined> {
  const newest = (await namesIn(wal))
    .filter((name) => name.endsWith(".wal"))
    .toSorted()
    .at(-1);
  if (newest === undefined) return undefined;
  const path = join(wal, newest);
  const file = await open(path, "r+");
  try {
    await lockSegment(file, path);
  } catch (error) {
    await file.close();
    throw error;
  }
  return file;
}

/** An empty folder that a crash left is used first. */
async function freeName(kept: string, kind: Kind): Promise<string> {
  let last = 0;
  for (const name of await namesIn(kept)) {
    const number = forms[kind].exec(name)?.[1];
    if (number === undefined) continue;
    if ((await namesIn(join(kept, name))).length === 0) return name;
    last = Math.max(last, Number(number));
  }
  return `${kind}-${String(last + 1).padStart(4, "0")}`;
}

/** Gives every copy its hashes, for whoever wants it back some day; those of an earlier call that was cut short too. */
export async function hashKept(kept: string): Promise<Outcome> {
  const bad: string[] = [];
  for (const name of (await namesIn(kept)).filter((each) => forms.aside.test(each))) {
    const copy = join(kept, name);
    if ((await exists(join(copy, sums_name))) || !(await exists(join(copy, "member")))) continue;
    try {
      await writeSums(copy);
    } catch (error) {
      // Data is also moved aside because its disk is bad: that must not keep the next copy from its hashes.
      if (errnoOf(error) === undefined) throw error;
      bad.push(`${copy}: ${errnoOf(error)}`);
    }
  }
  return bad.length === 0 ? done : failed("failed", `not all can be read: ${bad.join(", ")}`);
}

/** Of a log from before a takeover, which had no time for it. One file at most: the next look goes on. */
export async function hashOneLog(kept: string): Promise<void> {
  for (const name of (await namesIn(kept)).filter((each) => /^epoch-[0-9]+$/.test(each)).toSorted()) {
    const copy = join(kept, name);
    if ((await exists(join(copy, sums_name))) && (await hashOneKept(copy))) return;
  }
}

async function writeSums(copy: string): Promise<void> {
  const sums: string[] = [];
  for await (const path of filesIn(join(copy, "member")))
    sums.push(`${await hashFile(path)}  ${relative(copy, path)}\n`);
  await replaceSynced(join(copy, sums_name), sums.join(""), 0o600);
}

async function* filesIn(folder: string): AsyncGenerator<string, void, void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(path);
    else if (entry.isFile()) yield path;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
