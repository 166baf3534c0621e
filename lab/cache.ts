import { readdirSync, rmSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { errnoOf, isMissing } from "../src/machine/files.ts";

/** What is costly to make again: the machines' OS image, the built executable. May be deleted while no lab runs: the machines' roots are mounted from here. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const own = env["DUET_CACHE"];
  if (own !== undefined && own !== "") return resolve(own);
  // The XDG rules say that a relative path is to be ignored.
  const xdg = env["XDG_CACHE_HOME"];
  return join(xdg !== undefined && isAbsolute(xdg) ? xdg : join(homedir(), ".cache"), "duet");
}

/**
 * What this process has begun and not finished, for one that is about to end: at once, since nothing of it goes on after
 * that. What was killed a moment ago may still write. Gives back what can't be removed.
 */
export function dropUnfinished(folder: string = cacheFolder()): readonly string[] {
  const mine = names(folder).filter((name) => name.endsWith(`.${process.pid}.tmp`));
  return mine.map((name) => join(folder, name)).filter((path) => !isRemoved(path));
}

function isRemoved(path: string): boolean {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Of each kind, newest = last used. An executable is 130 MB, an image 600 MB: without this a week fills a small disk. */
const kept_default = 3;
/** Nothing here takes an hour to make: what is unfinished after that was cut off. */
const unfinished_ms_max = 3_600_000;

export const pruneBuilds = (folder: string, kept = kept_default): Promise<readonly string[]> =>
  prune(folder, "build-", kept);
export const pruneImages = (folder: string, kept = kept_default): Promise<readonly string[]> =>
  prune(folder, "image-", kept);
/** Programs built from Go modules, and what is made of them, by the name of their kind. */
export const pruneKind = (folder: string, kind: string, kept = kept_default): Promise<readonly string[]> =>
  prune(folder, `${kind}-`, kept);

async function prune(folder: string, prefix: string, kept: number): Promise<readonly string[]> {
  const entries: { path: string; finished: boolean; mtime_ms: number }[] = [];
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(folder, name);
    try {
      entries.push({ path, finished: !name.endsWith(".tmp"), mtime_ms: (await stat(path)).mtimeMs });
    } catch (error) {
      // Somebody else pruned it in this moment.
      if (!isMissing(error)) throw error;
    }
  }
  const finished = entries.filter((e) => e.finished).toSorted((a, b) => b.mtime_ms - a.mtime_ms);
  const cutOff = entries.filter((e) => !e.finished && Date.now() - e.mtime_ms > unfinished_ms_max);
  const old = [...finished.slice(kept), ...cutOff].map((e) => e.path);
  for (const path of old) await rm(path, { recursive: true, force: true });
  return old;
}
