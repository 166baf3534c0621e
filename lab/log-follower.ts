import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { DuetError } from "../src/base/problem.ts";
import { decodeConfChange, decodeMetadata } from "../src/facts/messages.ts";
import { entry_type, frame_bytes, record_type, SegmentReader } from "../src/facts/segment.ts";
import type { ByteSource } from "../src/facts/source.ts";
import { readContext } from "../src/facts/store.ts";

/** An entry that is looked for, in the log that it stands in. */
export interface Sighted {
  readonly what: "promote" | "marker";
  readonly index: number;
  readonly term: number;
  /** Of a promotion: who is promoted. */
  readonly memberId: bigint | undefined;
}

/** Where an entry stands in its segment. */
interface Written {
  readonly index: number;
  readonly term: number;
  readonly at: number;
}

/** The marker that a joiner writes (agents/hands/members.ts). */
const marker_key = Buffer.from("duet/marker");

/**
 * Follows an etcd's log on the disk of a machine that runs, from the host: what is new since the last look. A segment is open only
 * while it is read, since a disk that somebody reads can't be taken away. What etcd has written shows before it is synced.
 */
export class LogFollower {
  readonly sighted: Sighted[] = [];
  memberId: bigint | undefined;
  /** The newest entry. */
  last = 0;
  #segment: { readonly path: string; readonly inode: number; readonly reader: SegmentReader } | undefined;

  /** Nothing is new in the log of a machine that has no power, or whose data is being moved aside. */
  look(folder: string): void {
    try {
      this.#follow(folder);
    } catch (error) {
      if (!(error instanceof Error && "syscall" in error)) throw error;
      this.#segment = undefined;
    }
  }

  #follow(folder: string): void {
    // The old one to its end once more when there is a newer one: it is complete then.
    this.#read();
    const newest = newestIn(folder);
    if (newest === undefined) return;
    const path = join(folder, newest);
    const inode = statSync(path).ino;
    if (path === this.#segment?.path && inode === this.#segment.inode) return;
    this.#read();
    this.#segment = { path, inode, reader: new SegmentReader(new PassingFile(path), 0) };
    this.#read();
  }

  #read(): void {
    if (this.#segment === undefined) return;
    const { reader } = this.#segment;
    const source = reader.source;
    try {
      // Cheap where nothing was written: a reader's own look takes a whole window of the file.
      const frame = new Uint8Array(frame_bytes);
      if (source.read(frame, reader.offset) < frame_bytes || frame.every((byte) => byte === 0)) return;
      const begin = reader.offset;
      const writes: Written[] = [];
      for (let step = reader.again(); step.kind === "record"; step = reader.next())
        this.#take(reader, writes);
      this.#markers(source, begin, reader.offset, writes);
    } catch (error) {
      // Cut to its length, or moved aside, while it was read: what stands behind it is in the next one.
      if (!(error instanceof DuetError)) throw error;
    }
  }

  #take(reader: SegmentReader, writes: Written[]): void {
    // A segment's first record: it goes on from the checksum of what stood before.
    if (reader.type === record_type.crc) reader.crc = reader.crcCarried;
    if (reader.type === record_type.metadata) this.memberId = decodeMetadata(reader.kept).memberId;
    if (reader.type !== record_type.entry) return;
    const { index, term, at } = reader;
    this.last = index;
    if (reader.entryType === entry_type.normal) writes.push({ index, term, at });
    const memberId = reader.entryType === entry_type.change ? promoted(reader.kept) : undefined;
    if (memberId !== undefined) this.sighted.push({ what: "promote", index, term, memberId });
  }

  /** A reader keeps nothing of what is written into etcd: so the bytes of all that is new are looked through once more. */
  #markers(source: ByteSource, begin: number, end: number, writes: readonly Written[]): void {
    const bytes = Buffer.alloc(end - begin);
    source.read(bytes, begin);
    for (let at = bytes.indexOf(marker_key); at !== -1; at = bytes.indexOf(marker_key, at + 1)) {
      const entry = writes.findLast((each) => each.at <= begin + at);
      if (entry !== undefined)
        this.sighted.push({ what: "marker", index: entry.index, term: entry.term, memberId: undefined });
    }
  }
}

/** Who becomes a voter by this change, if it is a promotion. */
function promoted(payload: Uint8Array): bigint | undefined {
  const { memberId, context } = decodeConfChange(payload);
  return readContext(context)?.promote === true ? memberId : undefined;
}

const newestIn = (folder: string): string | undefined =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".wal"))
    .toSorted()
    .at(-1);

/** Opened for each read, and closed behind it. */
class PassingFile implements ByteSource {
  readonly path: string;
  readonly size: number;

  constructor(path: string) {
    this.path = path;
    const fd = openSync(path, "r");
    this.size = fstatSync(fd).size;
    closeSync(fd);
  }

  read(into: Uint8Array, position: number): number {
    const fd = openSync(this.path, "r");
    try {
      let done = 0;
      while (done < into.length) {
        const got = readSync(fd, into, done, into.length - done, position + done);
        if (got === 0) break;
        done += got;
      }
      return done;
    } finally {
      closeSync(fd);
    }
  }
}
