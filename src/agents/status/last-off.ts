import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../../machine/files.ts";
import { decode } from "../../record/decode.ts";
import type { Entry, EventName } from "../../record/entry.ts";
import { numberOf } from "../../record/file.ts";
import type { Fence } from "./report.ts";

/** A failover writes a few hundred lines: in the last two files, from their ends, is the last fence of a quiet year. */
const files_max = 2;
const bytes_max = 8 << 20;

/** The last time that this machine read its peer's Off for a loss, by the flight recorder; undefined: not in what is kept. */
export async function lastOff(folder: string, peer: string): Promise<Fence | undefined> {
  const off = await lastEvent(folder, ["off confirmed"]);
  if (off === undefined) return undefined;
  return { by: off.machine, target: peer, at_ms: Date.parse(off.at), result: "success", why: "" };
}

/** The last time that the two were whole together, or one lost the other; undefined: not in what is kept. */
export async function lastTogether(folder: string): Promise<number | undefined> {
  const last = await lastEvent(folder, ["1+1", "peer lost", "peer left"]);
  if (last === undefined) return undefined;
  const ago_ms = last.kind === "event" ? Number(last.detail["ago_ms"] ?? 0) : 0;
  return Date.parse(last.at) - (Number.isFinite(ago_ms) ? ago_ms : 0);
}

/**
 * When the peer left by plan, if it is away for that; undefined: it was lost, has been back since, or was powered on. A `peer lost`
 * after it is of the same parting: who only sees the membership end can't tell a goodbye. That it is off may be proven again later, by
 * a machine that boots without it: that powers nobody on.
 */
export async function leftByPlan(folder: string): Promise<number | undefined> {
  const last = await lastEvent(
    folder,
    ["peer left", "off confirmed", "peer back", "1+1", "peer powered on"],
    (entry) => !isOff(entry) || wentOff(entry),
  );
  if (last?.kind !== "event") return undefined;
  return last.event === "peer left" || isOff(last) ? Date.parse(last.at) : undefined;
}

const isOff = (entry: Entry): boolean => entry.kind === "event" && entry.event === "off confirmed";
const wentOff = (entry: Entry): boolean => entry.kind === "event" && entry.detail["went_off"] === true;

async function lastEvent(
  folder: string,
  names: readonly EventName[],
  counts: (entry: Entry) => boolean = () => true,
): Promise<Entry | undefined> {
  const marks = names.map((name) => `"event":"${name}"`);
  for (const name of await newest(folder)) {
    const text = await tail(join(folder, name));
    const before = (end: number) => Math.max(...marks.map((mark) => text.lastIndexOf(mark, end)));
    for (let at = before(text.length); at > 0; at = before(at - 1)) {
      const line = text.slice(
        text.lastIndexOf("\n", at) + 1,
        (text.indexOf("\n", at) + 1 || text.length + 1) - 1,
      );
      const read = decode(line);
      if (read.ok && counts(read.entry)) return read.entry;
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
