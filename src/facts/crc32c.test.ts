import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { crc32c } from "./crc32c.ts";

/** One bit at a time, as the definition says. */
function slow(before: number, bytes: Uint8Array): number {
  let crc = ~before >>> 0;
  for (const byte of bytes) {
    crc = (crc ^ byte) >>> 0;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1) >>> 0;
  }
  return ~crc >>> 0;
}

test("the known value, and the slow way for any bytes at any place", () => {
  assert.equal(crc32c(0, Buffer.from("123456789")), 0xe3069283);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(20), fc.nat(), (bytes, start, before) => {
      const from = Math.min(start, bytes.length);
      assert.equal(crc32c(before >>> 0, bytes, from), slow(before >>> 0, bytes.subarray(from)));
    }),
  );
});
