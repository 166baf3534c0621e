import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { exit, fail } from "../../base/problem.ts";
import { isMissing } from "../../machine/files.ts";
import { numberOf } from "../../record/file.ts";

/** About a month of peace, or dozens of failovers. */
export const export_bytes_max = 8 * 1024 * 1024;

/** The newest files of a recorder behind each other, whole, as `duet explain` reads them: no more than the bound, at least one. */
export async function* exported(
  folder: string,
  bytes_max: number = export_bytes_max,
): AsyncGenerator<Buffer> {
  const chosen: string[] = [];
  let bytes = 0;
  for (const name of (await namesIn(folder)).toReversed()) {
    const path = join(folder, name);
    bytes += (await stat(path)).size;
    if (chosen.length > 0 && bytes > bytes_max) break;
    chosen.unshift(path);
  }
  if (chosen.length === 0)
    return fail(
      "DUET-E-RECORD-NONE",
      folder,
      "there is no record here",
      "a machine that was set up has one",
      exit.notHere,
    );
  for (const path of chosen) {
    const text = await readFile(path);
    yield text;
    // A power cut may have torn the last line: it must not take the first one of the next file with it.
    if (text.at(-1) !== 0x0a) yield Buffer.from("\n");
  }
  return undefined;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => numberOf(name) !== undefined).toSorted();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
