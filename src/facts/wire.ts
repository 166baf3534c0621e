/**
 * Protobuf, as far as etcd's records need it, and only as etcd writes it: known fields in ascending order, the shortest
 * form of each number, nothing left over. The WAL's checksums don't cover a record's type and lengths, so a reader that
 * forgives odd forms can take a flipped bit for a fact.
 */

/** A message is not in the form that etcd writes. The caller knows where it stood, and says so. */
export class WireError extends Error {}

export class WireReader {
  readonly #bytes: Uint8Array;
  #position = 0;
  #field = 0;
  #wire = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Goes to the next field, or gives undefined at the end. `repeated` names the only field that may come twice in a row. */
  next(repeated: readonly number[] = []): number | undefined {
    if (this.#position === this.#bytes.length) return undefined;
    const key = this.#varint();
    const field = Number(key >> 3n);
    if (field < this.#field || (field === this.#field && !repeated.includes(field)))
      throw new WireError(`field ${field} comes after field ${this.#field}`);
    this.#field = field;
    this.#wire = Number(key & 7n);
    return field;
  }

  uint64(): bigint {
    this.#expect(0);
    return this.#varint();
  }

  /** A number that fits a double exactly: terms, indexes, kinds. etcd can't count beyond that in a million years. */
  number(): number {
    const value = this.uint64();
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new WireError(`${value} is no sensible number`);
    return Number(value);
  }

  boolean(): boolean {
    const value = this.uint64();
    if (value > 1n) throw new WireError(`${value} is neither true nor false`);
    return value === 1n;
  }

  bytes(): Uint8Array {
    this.#expect(2);
    const length = this.#varint();
    const left = this.#bytes.length - this.#position;
    if (length > BigInt(left)) throw new WireError(`${length} bytes where ${left} are left`);
    const start = this.#position;
    this.#position += Number(length);
    return this.#bytes.subarray(start, this.#position);
  }

  unknown(): never {
    throw new WireError(`field ${this.#field} is not known`);
  }

  #expect(wire: number): void {
    if (this.#wire !== wire) throw new WireError(`field ${this.#field} has form ${this.#wire}`);
  }

  #varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#position];
      if (byte === undefined) throw new WireError("a number is cut off");
      this.#position += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) {
        if (byte === 0 && shift > 0n) throw new WireError("a number is longer than need be");
        if (value > 0xffff_ffff_ffff_ffffn) break;
        return value;
      }
    }
    throw new WireError("a number has more than 64 bits");
  }
}

/** The shortest form of a number. */
export function varint(value: bigint | number): number[] {
  const out: number[] = [];
  let rest = BigInt(value);
  while (rest >= 0x80n) {
    out.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  out.push(Number(rest));
  return out;
}
