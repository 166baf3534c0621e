import { fail } from "../base/problem.ts";
import { type ByteSource, FileSource } from "./source.ts";

/**
 * Reads a few values out of etcd's database (bbolt, `member/snap/db`): `consistent_index`, the newest entry whose effects
 * are in it, and the versions that it names. Only this much of the format is known here; whatever looks otherwise is an
 * error, not a guess.
 */

const magic = 0xed0cdaed;
const version = 2;
const page_header_bytes = 16;
const page_flag = { branch: 0x01, leaf: 0x02 } as const;
const bucket_flag = 0x01;
/** A tree of 2^64 pages with two children each would be this deep. */
const depth_max = 64;
const page_bytes_max = 1 << 24;

/** What duet wants to know of a database. */
export interface Backend {
  /** 0 where etcd has not saved one yet. */
  readonly consistentIndex: number;
  /** Of the cluster, and from 3.6 on of the database itself; those that are there. */
  readonly versions: readonly string[];
}

export function readBackend(path: string): Backend {
  using source = new FileSource(path);
  return backendOf(source);
}

export const readConsistentIndex = (path: string): number => readBackend(path).consistentIndex;

export function backendOf(source: ByteSource): Backend {
  const meta = newestMeta(source);
  const versions = [
    valueIn(source, meta, "cluster", "clusterVersion"),
    valueIn(source, meta, "meta", "storageVersion"),
  ];
  return {
    consistentIndex: indexOf(source, valueIn(source, meta, "meta", "consistent_index")),
    // etcd empties the second one before it writes it for the first time.
    versions: versions
      .map((each) => each?.subarray(0, version_bytes_max).toString("latin1") ?? "")
      .filter((each) => each !== ""),
  };
}

/** Far above `3.6.0`, which is all that etcd writes. */
const version_bytes_max = 64;

function indexOf(source: ByteSource, value: Buffer | undefined): number {
  if (value === undefined) return 0;
  if (value.length !== 8) return unreadable(source, 0, "`consistent_index` is no number");
  const index = value.readBigUInt64BE(0);
  if (index > BigInt(Number.MAX_SAFE_INTEGER))
    return unreadable(source, 0, `a consistent index of ${index} is no sensible number`);
  return Number(index);
}

function valueIn(source: ByteSource, meta: Meta, name: string, key: string): Buffer | undefined {
  const bucket = find(source, meta, { root: meta.root, inline: undefined }, name);
  if (bucket === undefined) return undefined;
  if (!bucket.isBucket || bucket.value.length < 16) return unreadable(source, 0, `\`${name}\` is no bucket`);
  const root = bucket.value.readBigUInt64LE(0);
  const inline = root === 0n ? bucket.value.subarray(16) : undefined;
  const found = find(source, meta, { root, inline }, key);
  if (found?.isBucket === true) return unreadable(source, 0, `\`${key}\` is a bucket`);
  return found?.value;
}

interface Meta {
  readonly page_bytes: number;
  readonly root: bigint;
  readonly pages: bigint;
  readonly transaction: bigint;
}

/** Two pages take turns: the newer one that is whole says where the tree begins. */
function newestMeta(source: ByteSource): Meta {
  const first = metaAt(source, 0);
  // The second page's place depends on the page size, which the first one says; if that one is broken, try what Linux has.
  const sizes = first === undefined ? [4096, 8192, 16384, 65536] : [first.page_bytes];
  const second = sizes.map((size) => metaAt(source, size)).find((meta) => meta !== undefined);
  const newest = [first, second]
    .filter((meta) => meta !== undefined)
    .toSorted((a, b) => Number(b.transaction - a.transaction))[0];
  return (
    newest ?? unreadable(source, 0, "neither of the two first pages is whole: this is no database of etcd's")
  );
}

function metaAt(source: ByteSource, offset: number): Meta | undefined {
  const bytes = Buffer.alloc(page_header_bytes + 64);
  if (source.read(bytes, offset) < bytes.length) return undefined;
  const meta = bytes.subarray(page_header_bytes);
  if (meta.readUInt32LE(0) !== magic || meta.readUInt32LE(4) !== version) return undefined;
  if (fnv1a(meta.subarray(0, 56)) !== meta.readBigUInt64LE(56)) return undefined;
  const page_bytes = meta.readUInt32LE(8);
  if (page_bytes < 512 || page_bytes > page_bytes_max) return undefined;
  return {
    page_bytes,
    root: meta.readBigUInt64LE(16),
    pages: meta.readBigUInt64LE(40),
    transaction: meta.readBigUInt64LE(48),
  };
}

interface Found {
  readonly isBucket: boolean;
  readonly value: Buffer;
}

/** Looks a key up in a bucket, from its root page down to a leaf. A small bucket has its only page `inline`. */
function find(
  source: ByteSource,
  meta: Meta,
  bucket: { readonly root: bigint; readonly inline: Buffer | undefined },
  key: string,
): Found | undefined {
  let page = bucket.inline ?? readPage(source, meta, bucket.root);
  for (let depth = 0; depth < depth_max; depth += 1) {
    const header = slice(source, page, 0, page_header_bytes);
    const flags = header.readUInt16LE(8);
    const count = header.readUInt16LE(10);
    if (flags === page_flag.leaf) return inLeaf(source, page, count, key);
    if (flags !== page_flag.branch || bucket.inline !== undefined)
      return unreadable(source, 0, `a page has flags ${flags}`);
    page = readPage(source, meta, childFor(source, page, count, key));
  }
  return unreadable(source, 0, "the tree is too deep");
}

function readPage(source: ByteSource, meta: Meta, id: bigint): Buffer {
  const offset = Number(id) * meta.page_bytes;
  if (id < 2n || id >= meta.pages || offset + meta.page_bytes > source.size)
    return unreadable(source, 0, `page ${id} is outside the file`);
  const header = Buffer.alloc(page_header_bytes);
  source.read(header, offset);
  const length = (1 + header.readUInt32LE(12)) * meta.page_bytes;
  if (header.readBigUInt64LE(0) !== id || length > page_bytes_max || offset + length > source.size)
    return unreadable(source, offset, `page ${id} is damaged`);
  const page = Buffer.alloc(length);
  source.read(page, offset);
  return page;
}

/** The last child whose first key is not above the key that is looked for. */
function childFor(source: ByteSource, page: Buffer, count: number, key: string): bigint {
  let child: bigint | undefined;
  for (let n = 0; n < count; n += 1) {
    const element = page_header_bytes + n * 16;
    const first = slice(source, page, element + u32(source, page, element), u32(source, page, element + 4));
    if (child !== undefined && Buffer.compare(first, Buffer.from(key)) > 0) break;
    child = slice(source, page, element + 8, 8).readBigUInt64LE(0);
  }
  return child ?? unreadable(source, 0, "a branch page is empty");
}

function inLeaf(source: ByteSource, page: Buffer, count: number, key: string): Found | undefined {
  for (let n = 0; n < count; n += 1) {
    const element = page_header_bytes + n * 16;
    const start = element + u32(source, page, element + 4);
    const key_bytes = u32(source, page, element + 8);
    if (slice(source, page, start, key_bytes).toString("latin1") !== key) continue;
    const value = slice(source, page, start + key_bytes, u32(source, page, element + 12));
    return { isBucket: (u32(source, page, element) & bucket_flag) !== 0, value };
  }
  return undefined;
}

function u32(source: ByteSource, page: Buffer, offset: number): number {
  return slice(source, page, offset, 4).readUInt32LE(0);
}

function slice(source: ByteSource, page: Buffer, start: number, length: number): Buffer {
  if (start + length > page.length) return unreadable(source, 0, "an element reaches beyond its page");
  return page.subarray(start, start + length);
}

function fnv1a(bytes: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffff_ffff_ffff_ffffn;
  return hash;
}

function unreadable(source: ByteSource, offset: number, what: string): never {
  fail(
    "DUET-E-BACKEND-UNREADABLE",
    `${source.path}@${offset}`,
    `etcd's database can't be read: ${what}`,
    "keep the folder as it is; let this machine join again with empty data while its peer serves",
  );
}
