import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "../../src/machine/files.ts";
import { run } from "../../src/machine/process.ts";
import type { Progress } from "../../src/machine/progress.ts";
import { cacheFolder, pruneKind } from "../cache.ts";
import { ensureGoPrograms, programsCached, programsFolder } from "../go.ts";
import { ensureHost } from "../host.ts";
import { ensureImage, imageCached, imageFolder } from "../image.ts";
import { type Manners, polite } from "../manners.ts";
import { containerImages, librariesIn, type Sources } from "./containers.ts";
import { linkTo, makeLayer, tree } from "./layer.ts";
import { writeLayout } from "./oci.ts";
import { kubernetesPrograms, type ProgramFolders } from "./programs.ts";

/** What a lab with Kubernetes has more than others, all of it in the cache. */
export interface KubernetesParts {
  /** The root folder of the OS image that its machines run from. */
  readonly image: string;
  /** The layer above it: Kubernetes' programs, etcd 3.6, and the settings that only a lab needs. */
  readonly layer: string;
  /** The container images: a store that the machines only read. */
  readonly store: string;
  /** For the operator's seat: kubectl. */
  readonly tools: string;
}

/** Of the folder in the cache, which also carries a hash of what it is made from. */
const kind = "kubernetes";
const loadScript = join(import.meta.dirname, "load.sh");
/** Seconds, where the box has them to give. */
const load_ms_max = 20 * 60_000;
/** What makes the layer and the images from the programs; a change here makes them again. */
const recipes = ["containers.ts", "oci.ts", "layer.ts", "ensure.ts", "load.sh"];

/** Builds what the cache lacks: a quarter of an hour the first time on two cores, no time later. */
export async function ensureKubernetes(
  progress: Progress,
  manners: Manners = polite,
): Promise<KubernetesParts> {
  const { hyperkube, crio, coredns, pause, crun, etcd } = kubernetesPrograms;
  await ensureKubernetesHost(progress);
  const image = await ensureImage(progress, "kubernetes", manners);
  // One after the other: each uses all cores, and two at once need twice the memory.
  const programs = {
    pause: await ensureGoPrograms(pause, progress, manners),
    crun: await ensureGoPrograms(crun, progress, manners),
    coredns: await ensureGoPrograms(coredns, progress, manners),
    etcd: await ensureGoPrograms(etcd, progress, manners),
    crio: await ensureGoPrograms(crio, progress, manners),
    hyperkube: await ensureGoPrograms(hyperkube, progress, manners),
  };
  const folder = await partsFolder();
  const part = (name: string) => join(folder, name);
  if (!(await exists(folder)))
    await progress.step("Kubernetes on the machines: programs, container images", (say) =>
      build(folder, image, programs, manners, say),
    );
  await utimes(folder, new Date(), new Date());
  return { image, layer: part("layer"), store: part("store"), tools: part("tools") };
}

/** Debian packages that the build needs; no two of these at once, since apt lets only one in. */
export async function ensureKubernetesHost(progress: Progress): Promise<void> {
  await ensureHost(progress, { kubernetes: !(await programsCached(kubernetesPrograms.crio)) });
}

/** Whether all that takes minutes is built; what is left is made of it in seconds. */
export async function kubernetesCached(): Promise<boolean> {
  for (const wanted of Object.values(kubernetesPrograms)) if (!(await programsCached(wanted))) return false;
  return await imageCached("kubernetes");
}

/** Named by what it is made from. */
async function partsFolder(): Promise<string> {
  const hash = createHash("sha256").update(await imageFolder("kubernetes"));
  for (const wanted of Object.values(kubernetesPrograms)) hash.update(await programsFolder(wanted));
  for (const file of recipes) hash.update(file).update(await readFile(join(import.meta.dirname, file)));
  for (const entry of await readdir(tree, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) hash.update(path.slice(tree.length)).update(await readFile(path));
  }
  return join(cacheFolder(), `${kind}-${hash.digest("hex").slice(0, 12)}`);
}

async function build(
  folder: string,
  image: string,
  programs: ProgramFolders,
  manners: Manners,
  say: (detail: string) => void,
): Promise<void> {
  // Built beside, renamed when whole; the name holds the pid, so that two builders don't meet.
  const beside = `${folder}.${process.pid}.tmp`;
  await rm(beside, { recursive: true, force: true });
  const scratch = join(beside, "scratch");
  await mkdir(scratch, { recursive: true });
  try {
    say("programs");
    await makeLayer(join(beside, "layer"), programs);
    await linkTo(beside, "/tools/kubectl", "../layer/usr/libexec/duet-lab/hyperkube");
    say("container images");
    await makeStore(scratch, image, programs, manners);
    await rename(join(scratch, "store"), join(beside, "store"));
    await rm(scratch, { recursive: true });
    await rename(beside, folder);
    await pruneKind(cacheFolder(), kind);
  } catch (error) {
    await rm(beside, { recursive: true, force: true });
    // Somebody else was faster with the same parts: those are as good.
    if (!(await exists(folder))) throw error;
  }
}

async function makeStore(
  scratch: string,
  root: string,
  programs: ProgramFolders,
  manners: Manners,
): Promise<void> {
  const { stdout: ldd } = await run(["chroot", root, "ldd", "/usr/sbin/nft"]);
  const { stdout: applets } = await run(["chroot", root, "busybox", "--list"]);
  const from: Sources = {
    ...programs,
    root,
    libraries: librariesIn(ldd),
    applets: applets.split("\n").filter(Boolean),
  };
  const images = containerImages(from);
  for (const [index, each] of images.entries())
    await writeLayout(each, join(scratch, "layouts", String(index)));
  await run([...manners, "sh", loadScript, root, scratch, ...images.map(({ name }) => name)], {
    deadline_ms: load_ms_max,
  });
}
