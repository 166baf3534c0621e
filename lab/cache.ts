import { readdir, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { isMissing } from "../src/machine/files.ts";

/** What is costly to make again: the machines' OS image, the built executable. May be deleted at any time. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const own = env["DUET_CACHE"];
  if (own !== undefined && own !== "") return resolve(own);
  // The XDG rules say that a relative path is to be ignored.
  const xdg = env["XDG_CACHE_HOME"];
  return join(xdg !== undefined && isAbsolute(xdg) ? xdg : join(homedir(), ".cache"), "duet");
}

const builds_kept = 3;
/** A build takes seconds: what is unfinished after an hour was cut off. */
const unfinished_ms_max = 3_600_000;

/** Each executable is 130 MB: without this a week of changes fills a small disk. Newest = last used. */
export async function pruneBuilds(folder: string, kept = builds_kept): Promise<readonly string[]> {
  const builds: { path: string; finished: boolean; mtime_ms: number }[] = [];
  for (const name of await readdir(folder)) {
    if (!name.startsWith("build-")) continue;
    const path = join(folder, name);
    try {
      builds.push({ path, finished: !name.endsWith(".tmp"), mtime_ms: (await stat(path)).mtimeMs });
    } catch (error) {
      // Another build pruned it in this moment.
      if (!isMissing(error)) throw error;
    }
  }
  const finished = builds.filter((b) => b.finished).toSorted((a, b) => b.mtime_ms - a.mtime_ms);
  const cutOff = builds.filter((b) => !b.finished && Date.now() - b.mtime_ms > unfinished_ms_max);
  const old = [...finished.slice(kept), ...cutOff].map((b) => b.path);
  for (const path of old) await rm(path, { recursive: true, force: true });
  return old;
}
