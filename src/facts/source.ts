import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { fail } from "../base/problem.ts";

/** Bytes that can be read anywhere, a piece at a time: a file, or memory in tests. */
export interface ByteSource {
  /** As errors name it. */
  readonly path: string;
  readonly size: number;
  /** Fills `into` from `position` on; the number of bytes, fewer than asked only at the end. */
  read(into: Uint8Array, position: number): number;
}

/** An open file. Read without awaiting: this is the work of a short process, and a promise per piece costs more than it gives. */
export class FileSource implements ByteSource, Disposable {
  readonly path: string;
  readonly size: number;
  readonly #fd: number;

  constructor(path: string) {
    this.path = path;
    this.#fd = openSync(path, "r");
    this.size = fstatSync(this.#fd).size;
  }

  read(into: Uint8Array, position: number): number {
    const wanted = Math.min(into.length, this.size - position);
    let done = 0;
    while (done < wanted) {
      const got = readSync(this.#fd, into, done, wanted - done, position + done);
      if (got === 0) break;
      done += got;
    }
    return done;
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}

export function memorySource(path: string, bytes: Uint8Array): ByteSource {
  return {
    path,
    size: bytes.length,
    read(into, position) {
      const part = bytes.subarray(position, position + into.length);
      into.set(part);
      return part.length;
    },
  };
}

/** The whole of a small file. */
export function readWhole(source: ByteSource): Uint8Array {
  const bytes = new Uint8Array(source.size);
  return bytes.subarray(0, source.read(bytes, 0));
}

const window_bytes = 1 << 20;
const zeros = Buffer.alloc(window_bytes);

/** One buffer that slides over a source: however long the file, this is all that is held of it. */
export class Window {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly source: ByteSource;
  #start = 0;
  #filled = 0;

  constructor(source: ByteSource) {
    this.source = source;
    this.bytes = Buffer.allocUnsafeSlow(Math.min(window_bytes, source.size));
  }

  /** Makes `length` bytes at `offset` of the source available; where they begin in `bytes`. */
  at(offset: number, length: number): number {
    if (offset < this.#start || offset + length > this.#start + this.#filled) {
      this.#start = offset;
      this.#filled = this.source.read(this.bytes, offset);
      if (this.#filled < length) shrank(this.source, offset + this.#filled);
    }
    return offset - this.#start;
  }

  /** What was read may be old by now: it is read again. */
  forget(): void {
    this.#filled = 0;
  }

  /** Where the zeros begin that reach to the end of the source, looking from `from` on; `from` if all is zero. */
  zerosFrom(from: number): number {
    let end = from;
    for (let offset = from; offset < this.source.size; ) {
      const length = Math.min(this.bytes.length, this.source.size - offset);
      const begin = this.at(offset, length);
      const piece = this.bytes.subarray(begin, begin + length);
      if (piece.compare(zeros, 0, length) !== 0) end = offset + lastNonZero(piece) + 1;
      offset += length;
    }
    return end;
  }
}

function lastNonZero(bytes: Uint8Array): number {
  let n = bytes.length - 1;
  while (n >= 0 && bytes[n] === 0) n -= 1;
  return n;
}

function shrank(source: ByteSource, offset: number): never {
  fail(
    "DUET-E-WAL-CHANGED",
    `${source.path}@${offset}`,
    "the file became shorter while it was read",
    "stop etcd first: facts are read from data at rest",
  );
}
