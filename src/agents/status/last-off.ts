import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../../machine/files.ts";
import { decode } from "../../record/decode.ts";
import { numberOf } from "../../record/file.ts";
import type { Fence } from "./report.ts";

/** A failover writes a few hundred lines: in the last two files, from their ends, is the last fence of a quiet year. */
const files_max = 2;
const bytes_max = 8 << 20;
const mark = '"event":"off confirmed"';

/** The last time that this machine read its peer's Off for a loss, by the flight recorder; undefined: not in what is kept. */
export async function lastOff(folder: string, peer: string): Promise<Fence | undefined> {
  for (const name of await newest(folder)) {
    const text = await tail(join(folder, name));
    for (let at = text.lastIndexOf(mark); at !== -1; at = text.lastIndexOf(mark, at - 1)) {
      const line = text.slice(
        text.lastIndexOf("\n", at) + 1,
        (text.indexOf("\n", at) + 1 || text.length + 1) - 1,
      );
      const read = decode(line);
      if (!read.ok) continue;
      const { machine, at: when } = read.entry;
      return { by: machine, target: peer, at_ms: Date.parse(when), result: "success", why: "" };
    }
  }
  return undefined;
}

async function newest(folder: string): Promise<readonly string[]> {
  try {
    const names = (await readdir(folder)).filter((name) => numberOf(name) !== undefined).toSorted();
    return names.slice(-files_max).toReversed();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function tail(path: string): Promise<string> {
  await using file = await open(path, "r");
  const { size } = await file.stat();
  const length = Math.min(size, bytes_max);
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, size - length);
  return buffer.toString("utf8", 0, bytesRead);
}
