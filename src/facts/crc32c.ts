/**
 * CRC-32C (Castagnoli), which etcd uses for its WAL and its snapshots; `node:zlib` has only the other polynomial.
 * Eight tables in one array, eight bytes a step ("slicing by 8"): several times as fast as one table and one byte.
 */
const tables = new Int32Array(8 * 256);

for (let n = 0; n < 256; n += 1) {
  let value = n;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  tables[n] = value;
}
for (let n = 256; n < tables.length; n += 1) {
  const before = tables[n - 256] ?? 0;
  tables[n] = (before >>> 8) ^ (tables[before & 0xff] ?? 0);
}

/** The checksum of what went before, continued over `bytes[start..end)`; begin with 0. */
export function crc32c(before: number, bytes: Uint8Array, start = 0, end = bytes.length): number {
  let crc = ~before;
  let n = start;
  // Words are read through a view that wants multiples of four.
  while (n < end && ((bytes.byteOffset + n) & 3) !== 0) {
    crc = (tables[(crc ^ (bytes[n] ?? 0)) & 0xff] ?? 0) ^ (crc >>> 8);
    n += 1;
  }
  const words_length = ((end - n) >> 3) * 2;
  if (words_length > 0) {
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + n, words_length);
    for (let w = 0; w < words_length; w += 2) {
      const low = (words[w] ?? 0) ^ crc;
      const high = words[w + 1] ?? 0;
      crc =
        (tables[0x700 | (low & 0xff)] ?? 0) ^
        (tables[0x600 | ((low >>> 8) & 0xff)] ?? 0) ^
        (tables[0x500 | ((low >>> 16) & 0xff)] ?? 0) ^
        (tables[0x400 | (low >>> 24)] ?? 0) ^
        (tables[0x300 | (high & 0xff)] ?? 0) ^
        (tables[0x200 | ((high >>> 8) & 0xff)] ?? 0) ^
        (tables[0x100 | ((high >>> 16) & 0xff)] ?? 0) ^
        (tables[high >>> 24] ?? 0);
    }
    n += words_length * 4;
  }
  for (; n < end; n += 1) crc = (tables[(crc ^ (bytes[n] ?? 0)) & 0xff] ?? 0) ^ (crc >>> 8);
  return ~crc >>> 0;
}
