import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { exit, fail, type Problem } from "../base/problem.ts";
import { errnoOf, isMissing, readSmall } from "../machine/files.ts";
import { decode, wrongFirstLine } from "./decode.ts";
import type { Place, Told } from "./entry.ts";
import { numberOf } from "./file.ts";

/** No file of a record is nearly as long: a line or two may come behind the bound. */
const bytes_max = 64 * 1024 * 1024;
const files_max = 1_000;
const damage_max = 100;

export interface Recording {
  /** As they stand in the files. */
  readonly entries: readonly Told[];
  readonly files: readonly string[];
  /** Lines that a loss of power cut off. They were never whole, and nothing is wrong with that. */
  readonly cut: readonly Place[];
  /** Lines that were whole once, or never ours. The rest is read all the same. */
  readonly damage: readonly Problem[];
}

/** Reads files, and the folders of recorders, of one machine or of both. Throws where one of them is no record at all. */
export async function readRecord(paths: readonly string[]): Promise<Recording> {
  const files = await filesOf(paths);
  const entries: Told[] = [];
  const cut: Place[] = [];
  const damage: Problem[] = [];
  for (const file of files) {
    const read = await readSmall(file, bytes_max);
    if (!read.ok) return unreadable(file, `the file can't be read: ${read.why}`);
    const found = parseRecord(read.text, file);
    for (const entry of found.entries) entries.push(entry);
    cut.push(...found.cut);
    damage.push(...found.damage.slice(0, damage_max - damage.length));
  }
  return { entries, files, cut, damage };
}

/** A file's text. Throws where its first line is not that of a record. */
export function parseRecord(text: string, file: string): Omit<Recording, "files"> {
  const lines = text.split("\n");
  const wrong = wrongFirstLine(lines[0] ?? "");
  if (wrong !== undefined) return unreadable(file, wrong);
  const entries: Told[] = [];
  const bad: (Place & { readonly why: string; readonly cut: boolean; readonly after: number })[] = [];
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line === "") continue;
    const read = decode(line);
    const place = { file, line: index + 1 };
    if (read.ok) entries.push({ ...read.entry, ...place });
    // Files that somebody has put behind each other.
    else if (wrongFirstLine(line) === undefined) continue;
    else bad.push({ ...place, why: read.why, cut: read.cut, after: entries.length });
  }
  // Cut off by the end of a boot: nothing follows it, or only what another boot wrote.
  const isCut = ({ cut, after }: (typeof bad)[number]): boolean =>
    cut && (after === entries.length || entries[after]?.boot !== entries[after - 1]?.boot);
  return {
    entries,
    cut: bad.filter(isCut).map(({ line }) => ({ file, line })),
    damage: bad.filter((each) => !isCut(each)).map(({ line, why }) => damaged(file, line, why)),
  };
}

const damaged = (file: string, line: number, why: string): Problem => ({
  code: "DUET-E-RECORD-DAMAGED",
  where: `${file}:${line}`,
  what: `this line can't be read, and is left out: ${why}`,
  fix: "what is shown is without it; if lines are damaged again and again, see the disk's health",
});

/** Once each, in the order in which they were written. */
async function filesOf(paths: readonly string[]): Promise<readonly string[]> {
  const found = new Map<string, string>();
  for (const path of paths) for (const file of await filesAt(path)) found.set(await realpath(file), file);
  const files = [...found.values()];
  if (files.length > files_max) return unreadable(paths[0] ?? "", `these are more than ${files_max} files`);
  return files;
}

async function filesAt(path: string): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = (await readdir(path)).filter((name) => numberOf(name) !== undefined).toSorted();
    if (names.length > 0) return names.map((name) => join(path, name));
  } catch (error) {
    const code = errnoOf(error);
    if (code === undefined) throw error;
    if (!isMissing(error))
      return unreadable(path, `it can't be read: ${code}`, "a machine's record is root's alone: try as root");
  }
  return fail(
    "DUET-E-RECORD-NONE",
    path,
    "there is no record here",
    "name the folder of a machine's flight recorder, or files from it",
    exit.badInput,
  );
}

const unreadable = (
  where: string,
  what: string,
  fix = "read it with the duet that wrote it, or name another file",
): never => fail("DUET-E-RECORD-FORMAT", where, what, fix, exit.badInput);
