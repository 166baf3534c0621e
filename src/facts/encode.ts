import { crc32c } from "./crc32c.ts";
import type { HardState } from "./messages.ts";
import { record_type } from "./segment.ts";
import { varint } from "./wire.ts";

/** A record with its frame and padding, byte for byte as etcd would write it, and the checksum that rolls on. */
export function encodeRecord(
  type: number,
  data: Uint8Array,
  crc_before: number,
): { readonly bytes: Uint8Array; readonly crc: number } {
  const crc = crc32c(crc_before, data);
  const head = [0x08, type, 0x10, ...varint(crc)];
  if (type !== record_type.crc) head.push(0x1a, ...varint(data.length));
  const length = head.length + data.length;
  const padding = (8 - (length % 8)) % 8;
  const bytes = Buffer.alloc(8 + length + padding);
  bytes.writeUInt32LE(length, 0);
  if (padding > 0) bytes.writeUInt8(0x80 | padding, 7);
  bytes.set(head, 8);
  bytes.set(data, 8 + head.length);
  return { bytes, crc };
}

export function encodeHardState({ term, vote, commit }: HardState): Uint8Array {
  return Uint8Array.from([0x08, ...varint(term), 0x10, ...varint(vote), 0x18, ...varint(commit)]);
}
