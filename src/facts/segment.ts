import { crc32c } from "./crc32c.ts";
import { type ByteSource, Window } from "./source.ts";

/** Kinds of records in a WAL. */
export const record_type = { metadata: 1, entry: 2, state: 3, crc: 4, snapshot: 5 } as const;
export const entry_type = { normal: 0, change: 1, changeV2: 2 } as const;

/** A frame, and the most that stands before a record's data or an entry's payload. */
export const frame_bytes = 8;
const head_bytes_max = 24;
const entry_head_bytes_max = 48;
/** What is kept of a record. A membership change is some hundred bytes. */
const kept_bytes_max = 1 << 20;
/** An entry that sets the cluster's version is shorter than this, and holds the key of that field of etcd's requests. */
const version_entry_bytes_max = 64;
const version_key = [0xa2, 0x51] as const;
const sector_bytes = 512;
const nothing = new Uint8Array();

export type Step =
  | { readonly kind: "record" }
  /** Zeros, or the file's end: nothing more was written. */
  | { readonly kind: "end" }
  /** Here stands something that is no whole, right record. */
  | { readonly kind: "broken"; readonly why: string };

const a_record: Step = { kind: "record" };
const the_end: Step = { kind: "end" };
const broken = (why: string): Step => ({ kind: "broken", why });

/**
 * Goes through one segment record by record. Holds one window of it and the bytes of the record at hand, and those only
 * where they are wanted: an entry's payload is checked and forgotten.
 */
export class SegmentReader {
  readonly source: ByteSource;
  readonly #window: Window;
  /** Where the next record begins. */
  offset = 0;
  /** The checksum that rolls over the data of all records; the next segment's first record repeats it. */
  crc: number;

  /** Of the record that `next` read. */
  type = 0;
  /** Where its frame begins. */
  at = 0;
  /** What a record of type crc carries. */
  crcCarried = 0;
  /** Its data, but of an entry the payload, and that only of a membership change, and of what may set the cluster's version. */
  kept: Uint8Array = nothing;
  entryType = 0;
  term = 0;
  index = 0;

  constructor(source: ByteSource, crc: number) {
    this.source = source;
    this.crc = crc;
    this.#window = new Window(source);
  }

  next(): Step {
    const left = this.source.size - this.offset;
    if (left === 0) return the_end;
    if (left < frame_bytes) return this.#isZero(this.offset, left) ? the_end : broken("a frame is cut off");
    const frame = this.#frame();
    if (frame.length === 0) return frame.top === 0 ? the_end : broken("a frame of length 0 has a padding");
    // In this order: a length beyond the file is too large to compute with.
    if (frame.length > left - frame_bytes)
      return broken(`a record of ${frame.length} bytes reaches beyond the file`);
    const padding = paddingOf(frame.length);
    if (frame.top !== topOf(padding)) return broken("length and padding disagree");
    if (frame.length + padding > left - frame_bytes)
      return broken("a record's padding reaches beyond the file");
    const head = this.#head(frame.length);
    if (typeof head === "string") return broken(head);
    const why = this.#data(head.dataStart, head.dataLength, head.crc);
    if (why !== undefined) return broken(why);
    const end = this.offset + frame_bytes + frame.length;
    if (!this.#isZero(end, padding)) return broken("the padding is not zero");
    this.at = this.offset;
    this.offset = end + padding;
    return a_record;
  }

  /** The same at the same place, by what stands there now: etcd may have written on. */
  again(): Step {
    this.#window.forget();
    return this.next();
  }

  /** Where the zeros begin that reach from the next record's place to the file's end. */
  zerosFrom(): number {
    return this.#window.zerosFrom(this.offset);
  }

  /**
   * Whether what stands at `offset` is a record that was never written to its end: its frame and what can be seen of its
   * head agree, and from a sector's border (or the file's end) on, inside the record, there are only zeros up to the end.
   * This is narrower than etcd's own test, which takes any zero sector in the record, and looks at nothing behind it.
   */
  isTorn(): boolean {
    const left = this.source.size - this.offset;
    if (left < frame_bytes) return true;
    const { length, top } = this.#frame();
    if (length === 0 || top !== topOf(paddingOf(length))) return false;
    const written = Math.min(roundUp(this.zerosFrom(), sector_bytes), this.source.size);
    const record_start = this.offset + frame_bytes;
    if (written >= record_start + length) return false;
    const seen = Math.max(0, written - record_start);
    if (seen >= Math.min(length, head_bytes_max)) return typeof this.#head(length) !== "string";
    return this.#beginsRight(record_start, seen);
  }

  #beginsRight(start: number, seen: number): boolean {
    const length = Math.min(seen, 3);
    const begin = this.#window.at(start, length);
    const [key, type = 1, next] = this.#window.bytes.subarray(begin, begin + length);
    return (key ?? 0x08) === 0x08 && type >= 1 && type <= 5 && (next ?? 0x10) === 0x10;
  }

  #frame(): { length: number; top: number } {
    const { bytes } = this.#window;
    const begin = this.#window.at(this.offset, frame_bytes);
    const high = bytes.readUInt32LE(begin + 4);
    return { length: bytes.readUInt32LE(begin) + (high & 0xff_ffff) * 2 ** 32, top: high >>> 24 };
  }

  /** The record's head: `08 TYPE 10 CRC 1a LENGTH`, in exactly this form. */
  #head(length: number): { crc: number; dataStart: number; dataLength: number } | string {
    const { bytes } = this.#window;
    const start = this.offset + frame_bytes;
    const begin = this.#window.at(start, Math.min(length, head_bytes_max));
    const end = begin + Math.min(length, head_bytes_max);
    const type = bytes[begin + 1] ?? 0;
    if (bytes[begin] !== 0x08 || type < 1 || type > 5 || bytes[begin + 2] !== 0x10)
      return "this is no record of a WAL";
    const crc = this.#number(begin + 3, end);
    if (crc < 0 || crc > 0xffff_ffff) return "a record's checksum is malformed";
    this.type = type;
    if (this.#cursor - begin === length) {
      if (type !== record_type.crc) return "a record has no data";
      return { crc, dataStart: start + length, dataLength: 0 };
    }
    if (type === record_type.crc) return "a checksum record has data";
    if (bytes[this.#cursor] !== 0x1a) return "a record's data is malformed";
    const dataLength = this.#number(this.#cursor + 1, end);
    const head_length = this.#cursor - begin;
    if (dataLength < 0 || head_length + dataLength !== length) return "a record's lengths disagree";
    return { crc, dataStart: start + head_length, dataLength };
  }

  #data(start: number, length: number, crc: number): string | undefined {
    if (this.type === record_type.crc) {
      this.crcCarried = crc;
      return undefined;
    }
    const rolled = this.#crcOf(start, length);
    if (rolled !== crc) return "the checksum is wrong";
    if (this.type === record_type.entry) {
      const why = this.#entry(start, length);
      if (why !== undefined) return why;
    } else {
      if (length > kept_bytes_max) return `a record of type ${this.type} with ${length} bytes is too large`;
      this.kept = this.#copy(start, length);
    }
    this.crc = rolled;
    return undefined;
  }

  /** An entry's head: `08 TYPE 10 TERM 18 INDEX 22 LENGTH`; the payload may be missing. */
  #entry(start: number, length: number): string | undefined {
    const { bytes } = this.#window;
    const head = Math.min(length, entry_head_bytes_max);
    const begin = this.#window.at(start, head);
    const end = begin + head;
    if (bytes[begin] !== 0x08) return "an entry is malformed";
    this.entryType = this.#number(begin + 1, end);
    if (bytes[this.#cursor] !== 0x10) return "an entry is malformed";
    this.term = this.#number(this.#cursor + 1, end);
    if (bytes[this.#cursor] !== 0x18) return "an entry is malformed";
    this.index = this.#number(this.#cursor + 1, end);
    if (this.entryType < 0 || this.entryType > 2 || this.term < 1 || this.index < 1)
      return `an entry has type ${this.entryType}, term ${this.term} and index ${this.index}`;
    this.kept = nothing;
    if (this.#cursor - begin === length) return undefined;
    if (bytes[this.#cursor] !== 0x22) return "an entry is malformed";
    const payload = this.#number(this.#cursor + 1, end);
    const before = this.#cursor - begin;
    if (before + payload !== length) return "an entry's lengths disagree";
    if (this.entryType === entry_type.normal) {
      if (payload <= version_entry_bytes_max && this.#mayBeVersion(start + before, payload))
        this.kept = this.#copy(start + before, payload);
      return undefined;
    }
    if (payload > kept_bytes_max) return `a membership change of ${payload} bytes is too large`;
    this.kept = this.#copy(start + before, payload);
    return undefined;
  }

  #cursor = 0;

  /** A number in its shortest form, below 2^53; -1 for anything else. Leaves the cursor behind it. */
  #number(from: number, end: number): number {
    const { bytes } = this.#window;
    let value = 0;
    let factor = 1;
    for (let n = from; n < end; n += 1) {
      const byte = bytes[n] ?? 0;
      value += (byte & 0x7f) * factor;
      if (value > Number.MAX_SAFE_INTEGER) return -1;
      if (byte < 0x80) {
        this.#cursor = n + 1;
        return byte === 0 && n > from ? -1 : value;
      }
      factor *= 128;
    }
    return -1;
  }

  #crcOf(start: number, length: number): number {
    let crc = this.crc;
    for (let done = 0; done < length; ) {
      const piece = Math.min(length - done, this.#window.bytes.length);
      const begin = this.#window.at(start + done, piece);
      crc = crc32c(crc, this.#window.bytes, begin, begin + piece);
      done += piece;
    }
    return crc;
  }

  #copy(start: number, length: number): Uint8Array {
    if (length === 0) return nothing;
    const begin = this.#window.at(start, length);
    return new Uint8Array(this.#window.bytes.subarray(begin, begin + length));
  }

  #mayBeVersion(start: number, length: number): boolean {
    if (length === 0) return false;
    const { bytes } = this.#window;
    const begin = this.#window.at(start, length);
    for (let n = begin; n < begin + length - 1; n += 1)
      if (bytes[n] === version_key[0] && bytes[n + 1] === version_key[1]) return true;
    return false;
  }

  #isZero(start: number, length: number): boolean {
    if (length === 0) return true;
    const begin = this.#window.at(start, length);
    for (let n = begin; n < begin + length; n += 1) if (this.#window.bytes[n] !== 0) return false;
    return true;
  }
}

const paddingOf = (length: number): number => (8 - (length % 8)) % 8;
const topOf = (padding: number): number => (padding === 0 ? 0 : 0x80 | padding);
const roundUp = (value: number, unit: number): number => Math.ceil(value / unit) * unit;
