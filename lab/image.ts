import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "../src/machine/files.ts";
import { run } from "../src/machine/process.ts";
import type { Progress } from "../src/machine/progress.ts";
import { cacheFolder, pruneImages } from "./cache.ts";
import { type Manners, polite } from "./manners.ts";
import { kubernetesPackages, packages, suite } from "./image/packages.ts";

const customize = join(import.meta.dirname, "image", "customize.sh");

/** Plain, or with what Kubernetes needs of the OS beside its own programs. */
export type ImageKind = "plain" | "kubernetes";

/** How the root is made; a change here or in what follows it makes another image. */
const recipeOf = (kind: ImageKind): readonly string[] => [
  "--mode=root",
  "--variant=minbase",
  ...["doc", "man", "locale"].map((what) => `--dpkgopt=path-exclude=/usr/share/${what}/*`),
  `--include=${Object.keys({ ...packages, ...(kind === "kubernetes" ? kubernetesPackages : {}) }).join(",")}`,
];

export async function imageFolder(kind: ImageKind): Promise<string> {
  const key = createHash("sha256")
    .update(JSON.stringify([suite, recipeOf(kind)]))
    .update(await readFile(customize))
    .digest("hex");
  return join(cacheFolder(), `image-${key.slice(0, 12)}`);
}

/** The root folder of the machines' OS image, built from Debian packages if the cache has none. */
export async function ensureImage(
  progress: Progress,
  kind: ImageKind = "plain",
  manners: Manners = polite,
): Promise<string> {
  const folder = await imageFolder(kind);
  const what = kind === "plain" ? "OS image of the machines" : "OS image of machines with Kubernetes";
  if (!(await exists(folder)))
    await progress.step(`${what} (once, about 75 s)`, () => build(folder, kind, manners));
  await utimes(folder, new Date(), new Date());
  return join(folder, "root");
}

async function build(folder: string, kind: ImageKind, manners: Manners): Promise<void> {
  await mkdir(cacheFolder(), { recursive: true });
  // Built beside, renamed when whole: a half-built image is never used. The name holds the pid: two builders don't meet.
  const beside = `${folder}.${process.pid}.tmp`;
  await rm(beside, { recursive: true, force: true });
  await mkdir(beside);
  try {
    // What it mounts there ends with it, also where it is killed: nobody removes a folder with the host's /proc in it.
    const own = ["unshare", "--mount", "--propagation", "private"] as const;
    await run([...manners, ...own, "mmdebstrap", ...recipeOf(kind), suite, join(beside, "root")], {
      deadline_ms: 20 * 60_000,
    });
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

export async function imageCached(kind: ImageKind = "plain"): Promise<boolean> {
  return await exists(await imageFolder(kind));
}
