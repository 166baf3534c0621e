import { createHash, randomUUID } from "node:crypto";
import {
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join, relative } from "node:path";
import { pagesFolder } from "../src/agents/status/page.ts";
import { exists } from "../src/machine/files.ts";
import { run } from "../src/machine/process.ts";
import { Progress } from "../src/machine/progress.ts";
import { cacheFolder, pruneBuilds } from "./cache.ts";
import { checkoutFolder } from "./checkout.ts";

/**
 * The mark in Node's binary that postject flips; fixed by Node for every version. In two parts, since this file is in the
 * bundle: a second occurrence in the executable would make postject refuse.
 */
const fuse = ["NODE_SEA_FUSE", "fce680ab2cc467b6e072b8b5df1996b2"].join("_");

/** Builds the one executable, or takes it from the cache; the path of `dist/duet`. */
export async function buildDuet(progress: Progress = new Progress()): Promise<string> {
  const checkout = checkoutFolder();
  const cache = cacheFolder();
  const folder = join(cache, `build-${await inputsHash(checkout)}`);
  const built = join(folder, "duet");
  if (await exists(built)) await utimes(folder, new Date(), new Date());
  else {
    await mkdir(cache, { recursive: true });
    await progress.step("duet, the executable", async (say) => {
      await buildInto(checkout, folder, say);
    });
    await pruneBuilds(cache);
  }
  return await publish(built, join(checkout, "dist"));
}

/** Everything that the executable is made from. Tests are not in it, so that changing one costs no build. */
export async function inputsHash(checkout: string): Promise<string> {
  const files = ["package.json", "package-lock.json", "scripts/build.ts"];
  for (const folder of ["src", "lab", "sim", pagesFolder]) {
    for (const entry of await readdir(join(checkout, folder), { recursive: true, withFileTypes: true })) {
      if (entry.isFile() && !/\.test\.ts$|\.tmp$/.test(entry.name))
        files.push(relative(checkout, join(entry.parentPath, entry.name)));
    }
  }
  // package-lock.json names Node's version too, since Node is an npm package here.
  const hash = createHash("sha256").update(`${process.arch}\n`);
  for (const file of files.toSorted()) {
    const content = await readFile(join(checkout, file));
    hash.update(`${file} ${content.length}\n`).update(content);
  }
  return hash.digest("hex").slice(0, 16);
}

async function buildInto(checkout: string, folder: string, say: (detail: string) => void): Promise<void> {
  // Beside its final place and renamed when it has shown that it runs: a build that was cut off is never used.
  const beside = `${folder}.${randomUUID()}.tmp`;
  await mkdir(beside, { recursive: true });
  try {
    const bundle = join(beside, "duet.cjs");
    const blob = join(beside, "duet.blob");
    const duet = join(beside, "duet");
    const node = join(checkout, "node_modules/node/bin/node");
    say("bundle");
    await bundleMain(checkout, bundle);
    say("code cache");
    await writeFile(join(beside, "sea.json"), JSON.stringify(seaConfig(bundle, blob, await pages(checkout))));
    await run([node, "--experimental-sea-config", join(beside, "sea.json")]);
    say("executable");
    await copyFile(node, duet);
    const postject = join(checkout, "node_modules/postject/dist/cli.js");
    await run([node, postject, duet, "NODE_SEA_BLOB", blob, "--sentinel-fuse", fuse], {
      deadline_ms: 120_000,
    });
    await run([duet, "--version"]);
    await sync(duet);
    for (const rest of [bundle, blob, join(beside, "sea.json")]) await rm(rest);
    await moveInto(beside, folder);
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

async function bundleMain(checkout: string, outfile: string): Promise<void> {
  await run(
    [
      join(checkout, "node_modules/esbuild/bin/esbuild"),
      "src/cli/main.ts",
      `--outfile=${outfile}`,
      "--bundle",
      "--platform=node",
      "--target=node24",
      // The main of a single executable is CommonJS. Commands that are imported in an action stay lazy: esbuild wraps
      // each module in a function that runs at its first import.
      "--format=cjs",
      // Node has no import() in a main with a code cache; this makes it a require of a built-in module.
      "--supported:dynamic-import=false",
      // CommonJS has no import.meta: name what stands for it, and fail the build on any other use.
      "--define:import.meta.dirname=__dirname",
      "--define:import.meta.filename=__filename",
      "--log-override:empty-import-meta=error",
      "--log-level=warning",
      "--legal-comments=none",
    ],
    { cwd: checkout, deadline_ms: 60_000 },
  );
}

/** For `duet page`, by the path in the checkout. */
async function pages(checkout: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(join(checkout, pagesFolder))).filter((name) => name.endsWith(".md"));
  return Object.fromEntries(
    names.map((name) => [`${pagesFolder}/${name}`, join(checkout, pagesFolder, name)]),
  );
}

function seaConfig(
  main: string,
  output: string,
  assets: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return {
    main,
    output,
    disableExperimentalSEAWarning: true,
    // Compiled code beside the source: a large bundle starts twice as fast.
    useCodeCache: true,
    // Beside the code and not in it: who does not ask for one does not pay for them.
    assets,
    // An agent runs in whatever environment started it: a NODE_OPTIONS there must not change what it does.
    execArgvExtension: "none",
  };
}

async function moveInto(beside: string, folder: string): Promise<void> {
  try {
    await rename(beside, folder);
  } catch (error) {
    // Another build of the same inputs was first: its result is as good.
    if (!(await exists(join(folder, "duet")))) throw error;
  }
}

/** `dist/duet` as a hard link to the cached file, or a copy where the cache is on another file system. */
async function publish(built: string, dist: string): Promise<string> {
  await mkdir(dist, { recursive: true });
  const path = join(dist, "duet");
  // Never written in place: a running duet keeps its file, and the cached file behind a link stays as it is.
  const beside = `${path}.${randomUUID()}.tmp`;
  try {
    await link(built, beside);
  } catch {
    await copyFile(built, beside);
  }
  await rename(beside, path);
  // Where both names are links to one file, rename does nothing and leaves the first.
  await rm(beside, { force: true });
  return path;
}

async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
