import { crc32c } from "./crc32c.ts";
import { type ConfState, decodeConfState } from "./messages.ts";
import { type ByteSource, readWhole } from "./source.ts";
import { WireError, WireReader } from "./wire.ts";

/** What a `.snap` file holds. */
export interface SnapshotFile {
  readonly index: number;
  readonly term: number;
  readonly confState: ConfState;
  /** etcd's old store as JSON, where it keeps the members with their addresses, and those that were removed. */
  readonly store: Uint8Array;
}

/** etcd's is a few kilobytes; one that still holds data of the v2 API could be more. */
const snapshot_bytes_max = 64 << 20;

export const snapshotName = ({ index, term }: { readonly index: number; readonly term: number }): string =>
  `${term.toString(16).padStart(16, "0")}-${index.toString(16).padStart(16, "0")}.snap`;

/** The snapshot, or why the file does not load. */
export function readSnapshot(source: ByteSource): SnapshotFile | string {
  if (source.size === 0) return "the file is empty";
  if (source.size > snapshot_bytes_max) return `the file is larger than ${snapshot_bytes_max} bytes`;
  try {
    return decodeSnapshot(readWhole(source));
  } catch (error) {
    if (error instanceof WireError) return error.message;
    throw error;
  }
}

function decodeSnapshot(bytes: Uint8Array): SnapshotFile | string {
  const outer = new WireReader(bytes);
  let crc: number | undefined;
  let data: Uint8Array | undefined;
  for (let field = outer.next(); field !== undefined; field = outer.next()) {
    if (field === 1) crc = outer.number();
    else if (field === 2) data = outer.bytes();
    else outer.unknown();
  }
  if (data === undefined || data.length === 0 || crc === undefined || crc === 0)
    return "the file has no data";
  if (crc32c(0, data) !== crc) return "the checksum is wrong";
  const inner = new WireReader(data);
  let store = new Uint8Array();
  let metadata: Omit<SnapshotFile, "store"> | undefined;
  for (let field = inner.next(); field !== undefined; field = inner.next()) {
    if (field === 1) store = new Uint8Array(inner.bytes());
    else if (field === 2) metadata = decodeSnapshotMetadata(inner.bytes());
    else inner.unknown();
  }
  return metadata === undefined ? "the file has no metadata" : { ...metadata, store };
}

function decodeSnapshotMetadata(bytes: Uint8Array): Omit<SnapshotFile, "store"> {
  const reader = new WireReader(bytes);
  let confState: ConfState | undefined;
  let index = 0;
  let term = 0;
  for (let field = reader.next(); field !== undefined; field = reader.next()) {
    if (field === 1) confState = decodeConfState(reader.bytes());
    else if (field === 2) index = reader.number();
    else if (field === 3) term = reader.number();
    else reader.unknown();
  }
  if (confState === undefined || index < 1 || term < 1)
    throw new WireError("a snapshot needs configuration, index and term");
  return { confState, index, term };
}
