import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fail } from "../base/problem.ts";
import { decodeMetadata } from "./messages.ts";
import { segmentNames } from "./names.ts";
import { record_type, SegmentReader } from "./segment.ts";
import { FileSource } from "./source.ts";

export interface Identity {
  readonly memberId: bigint;
  readonly clusterId: bigint;
}

/**
 * Who the member of this data folder is. It stands at the head of each segment, behind the checksum that rolls on, so nothing of the
 * log is read beyond that.
 */
export function readIdentity(folder: string): Identity {
  const wal = join(folder, "member", "wal");
  const newest = segmentNames(wal, readdirSync(wal)).at(-1);
  if (newest === undefined) throw new Error("bug: a WAL has at least one segment");
  using source = new FileSource(join(wal, newest.name));
  const reader = new SegmentReader(source, 0);
  for (const type of [record_type.crc, record_type.metadata]) {
    const { kind } = reader.next();
    if (kind !== "record" || reader.type !== type)
      fail(
        "DUET-E-WAL-DAMAGED",
        `${source.path}@${reader.at}`,
        "a segment does not begin with its checksum and its member",
        "see the disk's health; `duet status` says what this machine makes of its log",
      );
    reader.crc = reader.crcCarried;
  }
  return decodeMetadata(reader.kept);
}
