import { readdir, rename, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { isMissing, syncFolder } from "../../machine/files.ts";

/** Of each kind: data that was moved aside, and logs from before a takeover. */
const copies_max = 3;
/** Of the file system: etcd's own data must always find room. */
const share_max = 1 / 4;

const kinds = [/^epoch-([0-9]+)$/, /^aside-([0-9]+)$/] as const;
/** What a join left behind that did not come to its end: nobody wants it back. */
const half = /^half-[0-9]+$/;
/** What is to go is first renamed: half of a copy must not look like one. */
const going = /^going-/;

export interface Room {
  readonly copies_max: number;
  readonly bytes_max: number;
}

/**
 * Removes old copies beyond what there is room for. Only for a machine of a whole pair: before that, nobody knows which copy
 * will be needed. The newest of each kind always stays. Returns the names of what was removed.
 */
export async function pruneKept(kept: string, room?: Room): Promise<readonly string[]> {
  const names = await namesIn(kept);
  for (const name of names.filter((each) => going.test(each)))
    await rm(join(kept, name), { recursive: true, force: true });
  const halves = names.filter((name) => half.test(name));
  const old = [...halves, ...(await tooMuch(kept, names, room ?? (await roomAt(kept))))];
  await removeCopies(kept, old);
  return old;
}

export async function removeCopies(kept: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await rename(join(kept, name), join(kept, `going-${name}`));
    await syncFolder(kept);
    await rm(join(kept, `going-${name}`), { recursive: true });
  }
}

async function tooMuch(kept: string, names: readonly string[], room: Room): Promise<readonly string[]> {
  const old: string[] = [];
  let bytes = 0;
  for (const form of kinds) {
    const number = (name: string) => Number(form.exec(name)?.[1]);
    const newestFirst = names.filter((name) => form.test(name)).toSorted((a, b) => number(b) - number(a));
    for (const [index, name] of newestFirst.entries()) {
      // To measure is a look at each file: a copy that goes for its number is not looked at.
      const size = index < room.copies_max ? await bytesIn(join(kept, name)) : Number.POSITIVE_INFINITY;
      if (index > 0 && bytes + size > room.bytes_max) old.push(name);
      else bytes += size;
    }
  }
  return old;
}

async function roomAt(kept: string): Promise<Room> {
  try {
    const { blocks, bsize } = await statfs(kept);
    return { copies_max, bytes_max: blocks * bsize * share_max };
  } catch (error) {
    if (isMissing(error)) return { copies_max, bytes_max: 0 };
    throw error;
  }
}

/** What it takes of the disk: etcd reserves more than it has written. */
async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? await bytesIn(path) : (await stat(path)).blocks * 512;
  }
  return bytes;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
