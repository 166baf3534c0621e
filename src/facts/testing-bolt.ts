/** For tests: etcd's database, as far as duet looks into it. */

export const page_bytes = 4096;

export interface DatabaseOptions {
  readonly inline?: boolean;
  readonly branch?: boolean;
  /** The versions that it names. */
  readonly cluster?: string;
  readonly storage?: string;
}

/** A database as bbolt lays it out: two meta pages, a root leaf with the bucket `meta`, which is inline or has a page. */
export function database(index: bigint, options: DatabaseOptions = {}): Buffer {
  const file = Buffer.alloc(page_bytes * 8);
  const value = Buffer.alloc(8);
  value.writeBigUInt64BE(index);
  const items = leaf([
    ["confState", Buffer.from("{}"), 0],
    ["consistent_index", value, 0],
    ...(options.storage === undefined ? [] : [["storageVersion", Buffer.from(options.storage), 0] as const]),
    ["term", value, 0],
  ]);
  const root = options.inline === true ? 0n : 4n;
  const header = Buffer.alloc(16);
  header.writeBigUInt64LE(root, 0);
  const bucket = options.inline === true ? Buffer.concat([header, items]) : header;
  put(file, 4, items);
  put(
    file,
    3,
    leaf([
      ...(options.cluster === undefined
        ? []
        : [["cluster", inlineBucket([["clusterVersion", Buffer.from(options.cluster), 0]]), 1] as const]),
      ["key", Buffer.alloc(16), 1],
      ["meta", bucket, 1],
    ]),
  );
  put(
    file,
    5,
    branch([
      ["auth", 6n],
      ["key", 3n],
      ["zone", 6n],
    ]),
  );
  put(file, 6, leaf([]));
  meta(file, 0, 7n, 3n);
  meta(file, 1, 8n, options.branch === true ? 5n : 3n);
  return file;
}

const inlineBucket = (items: Parameters<typeof leaf>[0]): Buffer =>
  Buffer.concat([Buffer.alloc(16), leaf(items)]);

function leaf(items: readonly (readonly [string, Buffer, number])[]): Buffer {
  const elements = Buffer.alloc(16 + items.length * 16);
  elements.writeUInt16LE(2, 8);
  elements.writeUInt16LE(items.length, 10);
  const data: Buffer[] = [];
  let at = elements.length;
  for (const [n, [key, value, flags]] of items.entries()) {
    const element = 16 + n * 16;
    elements.writeUInt32LE(flags, element);
    elements.writeUInt32LE(at - element, element + 4);
    elements.writeUInt32LE(key.length, element + 8);
    elements.writeUInt32LE(value.length, element + 12);
    data.push(Buffer.from(key), value);
    at += key.length + value.length;
  }
  return Buffer.concat([elements, ...data]);
}

function branch(items: readonly (readonly [string, bigint])[]): Buffer {
  const elements = Buffer.alloc(16 + items.length * 16);
  elements.writeUInt16LE(1, 8);
  elements.writeUInt16LE(items.length, 10);
  let at = elements.length;
  for (const [n, [key, child]] of items.entries()) {
    const element = 16 + n * 16;
    elements.writeUInt32LE(at - element, element);
    elements.writeUInt32LE(key.length, element + 4);
    elements.writeBigUInt64LE(child, element + 8);
    at += key.length;
  }
  return Buffer.concat([elements, Buffer.from(items.map(([key]) => key).join(""))]);
}

function put(file: Buffer, id: number, page: Buffer): void {
  page.copy(file, id * page_bytes);
  file.writeBigUInt64LE(BigInt(id), id * page_bytes);
}

function meta(file: Buffer, id: number, transaction: bigint, root: bigint): void {
  const at = id * page_bytes + 16;
  file.writeUInt32LE(0xed0cdaed, at);
  file.writeUInt32LE(2, at + 4);
  file.writeUInt32LE(page_bytes, at + 8);
  file.writeBigUInt64LE(root, at + 16);
  file.writeBigUInt64LE(8n, at + 40);
  file.writeBigUInt64LE(transaction, at + 48);
  let hash = 0xcbf29ce484222325n;
  for (const byte of file.subarray(at, at + 56))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  file.writeBigUInt64LE(hash, at + 56);
}
