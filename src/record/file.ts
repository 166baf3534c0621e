import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { errnoOf, isMissing } from "../machine/files.ts";
import { firstLine } from "./encode.ts";

/** Takes lines. It never throws: a record that can't be written must not stop a takeover. */
export interface Sink {
  readonly append: (line: string, sync: boolean) => void;
}

export interface Bounds {
  /** A file that is longer gets no more lines. */
  readonly bytes_max: number;
  /** So many files are kept. */
  readonly files_max: number;
}
export const bounds_default: Bounds = { bytes_max: 4 * 1024 * 1024, files_max: 8 };

const tries_max = 8;

export const fileName = (number: number): string => `${String(number).padStart(8, "0")}.jsonl`;
export const numberOf = (name: string): number | undefined => {
  const [, digits] = /^(\d{8})\.jsonl$/.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
};

/**
 * A folder of numbered files, of which the last one grows. Several processes write at once, with no lock: each line is one
 * write to the end, and the next file is made by linking a finished one to its name, which only one of them can do. Who still
 * holds the file before it may add a line there: readers go by the entries' times.
 */
export class RecordFile implements Sink {
  readonly #folder: string;
  readonly #machine: string;
  readonly #bounds: Bounds;
  readonly #onTrouble: (why: string) => void;
  #fd: number | undefined;
  #number = 0;
  /** The file does not end with a whole line: what is cut must not take the next line with it. */
  #cut = false;
  /** This process has made a file: its name must be on disk, too, before anything in it can count on that. */
  #made = false;
  #told = false;

  constructor(folder: string, machine: string, onTrouble: (why: string) => void, bounds = bounds_default) {
    this.#folder = folder;
    this.#machine = machine;
    this.#onTrouble = onTrouble;
    this.#bounds = bounds;
  }

  append(line: string, sync: boolean): void {
    try {
      const fd = this.#ready();
      if (fd === undefined) return this.#trouble("its files are thrown away faster than they are found");
      const bytes = Buffer.from(this.#cut ? `\n${line}` : line);
      this.#cut = true;
      if (writeSync(fd, bytes) === bytes.length) this.#cut = false;
      if (sync) this.#sync(fd);
    } catch (error) {
      this.#trouble(errnoOf(error) ?? String(error));
    }
  }

  #sync(fd: number): void {
    fdatasyncSync(fd);
    if (!this.#made) return;
    const folder = openSync(this.#folder, constants.O_RDONLY);
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
    this.#made = false;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** Told once: it would be told with each line. */
  #trouble(why: string): void {
    if (!this.#told) this.#onTrouble(`${this.#folder}: ${why}`);
    this.#told = true;
  }

  /** The file that grows, with room in it; undefined where others make and throw away files all the time. */
  #ready(): number | undefined {
    for (let tries = 0; tries < tries_max; tries++) {
      const fd = this.#fd ?? this.#openLast();
      if (fd === undefined) continue;
      const { size, nlink } = fstatSync(fd);
      if (size < this.#bounds.bytes_max && nlink > 0) return fd;
      this.close();
      if (nlink > 0) this.#makeNext(this.#number + 1);
    }
    return undefined;
  }

  #openLast(): number | undefined {
    const last = this.#numbers().at(-1);
    if (last === undefined) this.#makeNext(1);
    this.#number = last ?? 1;
    try {
      // Never created here: a file is there with its first line, or not at all.
      const flags = constants.O_RDWR | constants.O_APPEND;
      const fd = openSync(join(this.#folder, fileName(this.#number)), flags);
      this.#cut = !endsWhole(fd);
      this.#fd = fd;
      return fd;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  #numbers(): readonly number[] {
    try {
      const found = readdirSync(this.#folder).map(numberOf);
      return found.filter((number) => number !== undefined).toSorted((a, b) => a - b);
    } catch (error) {
      if (!isMissing(error)) throw error;
      // Another process may make it in this very moment.
      mkdirSync(this.#folder, { mode: 0o700, recursive: true });
      return [];
    }
  }

  /** With its first line in it from the beginning. Where another process was faster its file is taken. */
  #makeNext(number: number): void {
    const beside = join(this.#folder, `.${process.pid}.new`);
    rmSync(beside, { force: true });
    writeFileSync(beside, firstLine(this.#machine), { mode: 0o600, flag: "wx" });
    try {
      linkSync(beside, join(this.#folder, fileName(number)));
      this.#made = true;
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
    } finally {
      rmSync(beside, { force: true });
    }
    for (const old of this.#numbers().slice(0, -this.#bounds.files_max))
      rmSync(join(this.#folder, fileName(old)), { force: true });
  }
}

function endsWhole(fd: number): boolean {
  const { size } = fstatSync(fd);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last[0] === 0x0a;
}
