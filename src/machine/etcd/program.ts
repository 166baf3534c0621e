import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import * as v from "valibot";
import { paths } from "../../base/paths.ts";
import { isMissing } from "../files.ts";
import { run } from "../process.ts";
import { programOf } from "../systemd.ts";

/** Under /run: which file said last that it is which version, so that a takeover need not start it to be told. */
export const versionNote = `${paths.run}/etcd-version`;

const noteShape = v.object({ file: v.string(), version: v.string() });

/** Of the etcd that a start of this unit would run; undefined where that can't be told. */
export async function installedEtcd(
  unit: string,
  deadline_ms: number,
  note = versionNote,
): Promise<string | undefined> {
  const program = await programOf(unit, deadline_ms);
  return program === undefined ? undefined : await versionOf(program, deadline_ms, note);
}

/** Only a file by etcd's own name is asked: what runs a container has another version, and a script might start an etcd. */
export async function versionOf(
  program: string,
  deadline_ms: number,
  note = versionNote,
): Promise<string | undefined> {
  if (basename(program) !== "etcd") return undefined;
  const file = await identityOf(program);
  if (file === undefined) return undefined;
  const noted = readNote(note);
  if (noted?.file === file) return noted.version;
  const { stdout } = await run([program, "--version"], { accept: "any", deadline_ms });
  const version = /^etcd Version: (\d+\.\d+\.\d+\S*)$/m.exec(stdout)?.[1];
  if (version !== undefined) writeNote(note, { file, version });
  return version;
}

/** Another one with each file that takes its place: a package that is replaced, a link that is turned. */
async function identityOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [path, dev, ino, size, mtimeNs, ctimeNs].join(" ");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function readNote(path: string): v.InferOutput<typeof noteShape> | undefined {
  try {
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), noteShape), readFileSync(path, "utf8"));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}

/** What can't be noted is asked again the next time. */
function writeNote(path: string, told: v.InferOutput<typeof noteShape>): void {
  try {
    const folder = dirname(path);
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    writeFileSync(`${path}.${process.pid}`, `${JSON.stringify(told)}\n`, { mode: 0o600 });
    renameSync(`${path}.${process.pid}`, path);
  } catch {
    // Nothing depends on it.
  }
}
