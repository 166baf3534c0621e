import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "../src/machine/files.ts";
import { run } from "../src/machine/process.ts";
import type { Progress } from "../src/machine/progress.ts";
import { cacheFolder, pruneImages } from "./cache.ts";
import { packages, suite } from "./image/packages.ts";

const customize = join(import.meta.dirname, "image", "customize.sh");

/** How the root is made; a change here or in what follows it makes another image. */
const recipe = [
  "--mode=root",
  "--variant=minbase",
  ...["doc", "man", "locale"].map((what) => `--dpkgopt=path-exclude=/usr/share/${what}/*`),
  `--include=${Object.keys(packages).join(",")}`,
];

async function imageFolder(): Promise<string> {
  const key = createHash("sha256")
    .update(JSON.stringify([suite, recipe]))
    .update(await readFile(customize))
    .digest("hex");
  return join(cacheFolder(), `image-${key.slice(0, 12)}`);
}

/** The root folder of the machines' OS image, built from Debian packages if the cache has none. */
export async function ensureImage(progress: Progress): Promise<string> {
  const folder = await imageFolder();
  if (!(await exists(folder)))
    await progress.step("OS image of the machines (once, about 75 s)", () => build(folder));
  await utimes(folder, new Date(), new Date());
  return join(folder, "root");
}

async function build(folder: string): Promise<void> {
  await mkdir(cacheFolder(), { recursive: true });
  // Built beside, renamed when whole: a half-built image is never used. The name holds the pid: two builders don't meet.
  const beside = `${folder}.${process.pid}.tmp`;
  await rm(beside, { recursive: true, force: true });
  await mkdir(beside);
  try {
    await run(["mmdebstrap", ...recipe, suite, join(beside, "root")], { deadline_ms: 20 * 60_000 });
    // Not as mmdebstrap's hook: its own clean-up comes after the hooks and empties /etc/machine-id again.
    await run(["sh", customize, join(beside, "root")]);
    await rename(beside, folder);
    await pruneImages(cacheFolder());
  } catch (error) {
    await rm(beside, { recursive: true, force: true });
    // Somebody else was faster with the same image: that one is as good.
    if (!(await exists(folder))) throw error;
  }
}

export async function imageCached(): Promise<boolean> {
  return await exists(await imageFolder());
}
