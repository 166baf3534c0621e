import { crc32c } from "./crc32c.ts";
import { encodeHardState, encodeRecord } from "./encode.ts";
import type { MemberFiles } from "./facts.ts";
import type { HardState } from "./messages.ts";
import { segmentNames } from "./names.ts";
import { entry_type, record_type } from "./segment.ts";
import { snapshotName } from "./snapshot.ts";
import { memorySource } from "./source.ts";
import { varint } from "./wire.ts";

/** For tests: writes WALs and snapshots as etcd does, byte for byte (a test lets etcd's own packages read them). */

const text = (value: string): Uint8Array => Buffer.from(value);
const field = (number: number, bytes: Uint8Array): number[] => [
  (number << 3) | 2,
  ...varint(bytes.length),
  ...bytes,
];

/** A member's files by their names in `member/`: `wal/…`, `snap/…`. */
export type FileSet = ReadonlyMap<string, Uint8Array>;

export interface TestMember {
  readonly id: bigint;
  readonly urls: readonly string[];
  readonly learner?: boolean;
  readonly promote?: boolean;
}

/** The JSON of a member as etcd writes it into a change; by hand, since JSON.stringify has no 64-bit numbers. */
export function memberJson({ id, urls, learner, promote }: TestMember): string {
  const rest = `${learner === true ? ',"isLearner":true' : ""},"name":""${promote === undefined ? "" : `,"isPromote":${promote}`}`;
  return `{"id":${id},"peerURLs":${JSON.stringify(urls)}${rest}}`;
}

export function encodeChange(kind: number, memberId: bigint, context = ""): Uint8Array {
  const tail = context === "" ? [] : field(4, text(context));
  return Uint8Array.from([0x08, 0, 0x10, kind, 0x18, ...varint(memberId), ...tail]);
}

export function encodeConfState(voters: readonly bigint[], learners: readonly bigint[]): Uint8Array {
  const ids = (key: number, all: readonly bigint[]) => all.flatMap((id) => [key, ...varint(id)]);
  return Uint8Array.from([...ids(0x08, voters), ...ids(0x10, learners), 0x28, 0]);
}

export interface TestSnapshot {
  readonly index: number;
  readonly term: number;
  readonly members: readonly TestMember[];
  readonly removed: readonly bigint[];
}

const confStateOf = ({ members }: TestSnapshot): Uint8Array =>
  encodeConfState(
    members.filter((m) => m.learner !== true).map((m) => m.id),
    members.filter((m) => m.learner === true).map((m) => m.id),
  );

/** A `.snap` file, with as much of etcd's old store as etcd needs to load it. */
export function encodeSnapshotFile(snapshot: TestSnapshot): Uint8Array {
  const node = (path: string, children: Record<string, unknown> | null, value = "") => ({
    Path: path,
    CreatedIndex: 1,
    ModifiedIndex: 1,
    ExpireTime: "0001-01-01T00:00:00Z",
    Value: value,
    Children: children,
  });
  const members: Record<string, unknown> = {};
  for (const { id, urls, learner } of snapshot.members) {
    const path = `/0/members/${id.toString(16)}`;
    const attributes = JSON.stringify({ peerURLs: urls, ...(learner === true ? { isLearner: true } : {}) });
    members[id.toString(16)] = node(path, {
      raftAttributes: node(`${path}/raftAttributes`, null, attributes),
    });
  }
  const removed = Object.fromEntries(
    snapshot.removed.map((id) => [
      id.toString(16),
      node(`/0/removed_members/${id.toString(16)}`, null, "removed"),
    ]),
  );
  const cluster = {
    members: node("/0/members", members),
    removed_members: node("/0/removed_members", removed),
  };
  const store = {
    Root: node("/", { 0: node("/0", cluster), 1: node("/1", {}) }),
    CurrentIndex: 1,
    CurrentVersion: 2,
  };
  const metadata = [
    ...field(1, confStateOf(snapshot)),
    0x10,
    ...varint(snapshot.index),
    0x18,
    ...varint(snapshot.term),
  ];
  const data = Uint8Array.from([
    ...field(1, text(JSON.stringify(store))),
    ...field(2, Uint8Array.from(metadata)),
  ]);
  return Uint8Array.from([0x08, ...varint(crc32c(0, data)), ...field(2, data)]);
}

/** Writes records one after the other, and begins new segments where it is told to. */
export class WalBuilder {
  readonly #metadata: Uint8Array;
  readonly #segments: { name: string; parts: Uint8Array[] }[] = [];
  readonly #snapshots = new Map<string, Uint8Array>();
  #crc = 0;
  #last = 0;
  #state: HardState | undefined;

  constructor(memberId: bigint, clusterId: bigint) {
    this.#metadata = Uint8Array.from([0x08, ...varint(memberId), 0x10, ...varint(clusterId)]);
    this.#begin("0000000000000000-0000000000000000.wal");
    this.#write(record_type.snapshot, Uint8Array.from([0x08, 0, 0x10, 0]));
  }

  entry(index: number, term: number, payload?: Uint8Array, type: number = entry_type.normal): this {
    const tail = payload === undefined ? [] : field(4, payload);
    this.#write(
      record_type.entry,
      Uint8Array.from([0x08, type, 0x10, ...varint(term), 0x18, ...varint(index), ...tail]),
    );
    this.#last = index;
    return this;
  }

  state(state: HardState): this {
    this.#state = state;
    this.#write(record_type.state, encodeHardState(state));
    return this;
  }

  snapshot(snapshot: TestSnapshot): this {
    this.#snapshots.set(snapshotName(snapshot), encodeSnapshotFile(snapshot));
    const conf = field(3, confStateOf(snapshot));
    this.#write(
      record_type.snapshot,
      Uint8Array.from([0x08, ...varint(snapshot.index), 0x10, ...varint(snapshot.term), ...conf]),
    );
    this.#last = Math.max(this.#last, snapshot.index);
    return this;
  }

  cut(): this {
    const hex = (value: number) => value.toString(16).padStart(16, "0");
    this.#begin(`${hex(this.#segments.length)}-${hex(this.#last + 1)}.wal`);
    if (this.#state !== undefined) this.#write(record_type.state, encodeHardState(this.#state));
    return this;
  }

  /** The newest segment gets `spare` zeros behind its records, as etcd sets them aside. */
  files(spare = 4096): FileSet {
    const files = new Map<string, Uint8Array>();
    for (const [n, { name, parts }] of this.#segments.entries()) {
      const zeros = n === this.#segments.length - 1 ? [new Uint8Array(spare)] : [];
      files.set(`wal/${name}`, Buffer.concat([...parts, ...zeros]));
    }
    for (const [name, bytes] of this.#snapshots) files.set(`snap/${name}`, bytes);
    return files;
  }

  #begin(name: string): void {
    this.#segments.push({ name, parts: [] });
    this.#write(record_type.crc, new Uint8Array());
    this.#write(record_type.metadata, this.#metadata);
  }

  #write(type: number, data: Uint8Array): void {
    const { bytes, crc } = encodeRecord(type, data, this.#crc);
    this.#segments.at(-1)?.parts.push(bytes);
    this.#crc = crc;
  }
}

/** The files as the reader takes them, from memory. */
export function memberFiles(files: FileSet): MemberFiles {
  const inFolder = (folder: string) =>
    [...files.keys()].filter((name) => name.startsWith(folder)).map((name) => name.slice(folder.length));
  const source = (path: string) => memorySource(path, files.get(path) ?? new Uint8Array());
  return {
    segments: segmentNames("wal", inFolder("wal/")).map(({ name, ...rest }) => ({
      ...rest,
      source: source(`wal/${name}`),
    })),
    snapshot: (name) => (files.has(`snap/${name}`) ? source(`snap/${name}`) : undefined),
  };
}
