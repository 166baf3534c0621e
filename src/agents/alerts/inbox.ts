import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { errnoOf } from "../../machine/files.ts";
import { type Event, eventShape } from "./event.ts";
import { eventIn, type Here } from "./pacemaker.ts";

/** What came in: dropped by Pacemaker's agent as `*.event`, or raised by duet as `*.json`. */
export interface Arrival {
  readonly path: string;
  /** The same however often it is read. */
  readonly id: string;
  readonly event: Event | undefined;
}

export interface InboxPlaces {
  /** Its files are written by hacluster: what they say is no more than a claim about Pacemaker's events. */
  readonly drop: string;
  readonly raised: string;
}

const bytes_max = 16 << 10;
/** At one look; the others at the next. */
const arrivals_max = 100;

export async function arrivals(places: InboxPlaces, here: Omit<Here, "now_ms">): Promise<readonly Arrival[]> {
  const [dropped, raised] = await Promise.all([
    listed(places.drop, ".event"),
    listed(places.raised, ".json"),
  ]);
  const found: Arrival[] = [];
  for (const path of [...dropped, ...raised].slice(0, arrivals_max)) {
    const text = await readPlain(path);
    const id = `${here.me}-${createHash("sha256").update(`${path}\n${text}`).digest("hex").slice(0, 16)}`;
    const event = path.endsWith(".json") ? raisedIn(text) : eventIn(text, { ...here, now_ms: Date.now() });
    found.push({ path, id, event });
  }
  return found;
}

export async function hasArrivals({ drop, raised }: InboxPlaces): Promise<boolean> {
  return (await listed(drop, ".event")).length > 0 || (await listed(raised, ".json")).length > 0;
}

/** Whatever it is, it is gone: what can't be read would be found again for ever. */
export async function discard({ path }: Arrival): Promise<void> {
  await rm(path, { recursive: true, force: true });
}

async function listed(folder: string, end: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    return names
      .filter((name) => name.endsWith(end) && !name.startsWith("."))
      .toSorted()
      .map((name) => join(folder, name));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return [];
  }
}

/** A regular file of this folder itself, and not more of it than an event has: another user may have put anything there. */
async function readPlain(path: string): Promise<string> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (!(await file.stat()).isFile()) return "";
    const { bytesRead, buffer } = await file.read(Buffer.alloc(bytes_max), 0, bytes_max, 0);
    return buffer.subarray(0, bytesRead).toString("utf8");
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return "";
  } finally {
    await file?.close();
  }
}

function raisedIn(text: string): Event | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), eventShape), text);
  return parsed.success ? parsed.output : undefined;
}
