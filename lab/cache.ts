import { readdir, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { isMissing } from "../src/machine/files.ts";

/** What is costly to make again: the machines' OS image, the built executable. May be deleted while no lab runs: the machines' roots are mounted from here. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const own = env["DUET_CACHE"];
  if (own !== undefined && own !== "") return resolve(own);
  // The XDG rules say that a relative path is to be ignored.
  const xdg = env["XDG_CACHE_HOME"];
  return join(xdg !== undefined && isAbsolute(xdg) ? xdg : join(homedir(), ".cache"), "duet");
}

/** Of each kind, newest = last used. An executable is 130 MB, an image 600 MB: without this a week fills a small disk. */
const kept_default = 3;
/** Nothing here takes an hour to make: what is unfinished after that was cut off. */
const unfinished_ms_max = 3_600_000;

export const pruneBuilds = (folder: string, kept = kept_default): Promise<readonly string[]> =>
  prune(folder, "build-", kept);
export const pruneImages = (folder: string, kept = kept_default): Promise<readonly string[]> =>
  prune(folder, "image-", kept);

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
