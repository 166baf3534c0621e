import type { FileSet } from "./testing.ts";

/** For tests: ways to damage a member's files. */

/** Chance that can be repeated: xorshift with 32 bits. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) | 1;
    for (let n = 0; n < 8; n += 1) this.next();
  }

  next(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return x >>> 0;
  }

  below(limit: number): number {
    return limit <= 1 ? 0 : this.next() % limit;
  }

  of<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)];
    if (found === undefined) throw new Error("nothing to choose from");
    return found;
  }
}

/** Files that are about to be damaged, with the places where records begin in each segment. */
export interface Patient {
  readonly files: Map<string, Uint8Array>;
  readonly borders: ReadonlyMap<string, readonly number[]>;
  /** Files of other members, for mixing them in. */
  readonly others: readonly FileSet[];
}

type Mutation = (patient: Patient, chance: Chance) => void;

export const mutations: Readonly<Record<string, Mutation>> = {
  "flip a bit": (patient, chance) => edit(patient, chance, (bytes) => flip(bytes, chance)),
  "flip some bits": (patient, chance) =>
    edit(patient, chance, (bytes) => {
      for (let n = chance.below(8); n >= 0; n -= 1) flip(bytes, chance);
    }),
  "overwrite with noise": (patient, chance) =>
    edit(patient, chance, (bytes, borders) => {
      const start = place(bytes, borders, chance);
      for (let n = start; n < Math.min(bytes.length, start + 1 + chance.below(64)); n += 1)
        bytes[n] = chance.next();
    }),
  "zero a range": (patient, chance) =>
    edit(patient, chance, (bytes, borders) => {
      const start = place(bytes, borders, chance);
      bytes.fill(0, start, start + 1 + chance.below(1200));
    }),
  "zero to the end": (patient, chance) =>
    edit(patient, chance, (bytes, borders) => void bytes.fill(0, place(bytes, borders, chance))),
  "cut the file": (patient, chance) =>
    replace(patient, chance, (bytes, borders) => bytes.slice(0, place(bytes, borders, chance))),
  "lengthen the file": (patient, chance) =>
    replace(patient, chance, (bytes) => {
      const longer = new Uint8Array(bytes.length + 1 + chance.below(2000));
      longer.set(bytes);
      if (chance.below(2) === 0)
        longer[bytes.length + chance.below(longer.length - bytes.length)] = chance.next();
      return longer;
    }),
  "copy a range elsewhere": (patient, chance) =>
    edit(patient, chance, (bytes, borders) => {
      const from = place(bytes, borders, chance);
      bytes.copyWithin(place(bytes, borders, chance), from, from + 8 + chance.below(600));
    }),
  "swap two records": (patient, chance) =>
    records(patient, chance, (bytes, borders) => {
      const [a, b] = [chance.below(borders.length - 1), chance.below(borders.length - 1)].toSorted(
        (x, y) => x - y,
      );
      if (a === undefined || b === undefined || a === b) return bytes;
      const cut = (from: number, to: number) => bytes.subarray(borders[from], borders[to]);
      const head = bytes.subarray(0, borders[a]);
      return Buffer.concat([
        head,
        cut(b, b + 1),
        cut(a + 1, b),
        cut(a, a + 1),
        bytes.subarray(borders[b + 1]),
      ]);
    }),
  "drop a record": (patient, chance) =>
    records(patient, chance, (bytes, borders) => {
      const n = chance.below(borders.length - 1);
      const rest = bytes.subarray(borders[n + 1]);
      return padded(Buffer.concat([bytes.subarray(0, borders[n]), rest]), bytes.length);
    }),
  "repeat a record": (patient, chance) =>
    records(patient, chance, (bytes, borders) => {
      const n = chance.below(borders.length - 1);
      return Buffer.concat([bytes.subarray(0, borders[n + 1]), bytes.subarray(borders[n])]);
    }),
  "attack a length": (patient, chance) =>
    records(patient, chance, (bytes, borders) => {
      const at = chance.of(borders);
      if (at + 8 > bytes.length) return bytes;
      const attacked = Buffer.from(bytes);
      const length = attacked.readUInt32LE(at);
      const lengths = [
        0,
        1,
        7,
        8,
        length - 1,
        length + 1,
        length + 8,
        length + 512,
        length * 2,
        bytes.length,
        0xffff_ffff,
      ];
      attacked.writeUInt32LE(chance.of(lengths) >>> 0, at);
      if (chance.below(2) === 0)
        attacked.writeUInt32LE(chance.of([0, 0x00ffffff, 0x80000000, 0x87000000, 0xff000001]), at + 4);
      return attacked;
    }),
  "change a record's type": (patient, chance) =>
    records(patient, chance, (bytes, borders) => {
      const changed = Buffer.from(bytes);
      const at = chance.of(borders) + 9;
      if (at < changed.length) changed[at] = chance.below(8);
      return changed;
    }),
  "swap two files": ({ files }, chance) => {
    const [a, b] = [chance.of([...files.keys()]), chance.of([...files.keys()])];
    const [bytesOfA, bytesOfB] = [files.get(a), files.get(b)];
    if (bytesOfA !== undefined && bytesOfB !== undefined) files.set(a, bytesOfB).set(b, bytesOfA);
  },
  "remove a file": ({ files }, chance) => void files.delete(chance.of([...files.keys()])),
  "rename a file": ({ files }, chance) => {
    const name = chance.of([...files.keys()]);
    const bytes = files.get(name);
    files.delete(name);
    const digits = name.split("");
    digits[name.indexOf("/") + 1 + chance.below(33)] = chance.of("0123456789abcdefg-".split(""));
    const names = [`${name}.tmp`, `${name}.broken`, digits.join("")];
    if (bytes !== undefined) files.set(chance.of(names), bytes);
  },
  "put another member's file here": ({ files, others }, chance) => {
    const other = chance.of(others);
    const name = chance.of([...other.keys()]);
    const folder = name.slice(0, name.indexOf("/"));
    const own = [...files.keys()].filter((each) => each.startsWith(folder));
    files.set(
      own.length > 0 && chance.below(2) === 0 ? chance.of(own) : name,
      other.get(name) ?? new Uint8Array(),
    );
  },
};

function flip(bytes: Uint8Array, chance: Chance): void {
  const at = chance.below(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << chance.below(8));
}

/** Half of the time near a record's border or at a sector's: that is where mistakes are. */
function place(bytes: Uint8Array, borders: readonly number[], chance: Chance): number {
  const anywhere = chance.below(bytes.length);
  const way = chance.below(4);
  if (way === 0 && borders.length > 0)
    return Math.min(bytes.length, chance.of(borders) + chance.below(3) * 8);
  if (way === 1) return anywhere - (anywhere % 512);
  return way === 2 ? anywhere - (anywhere % 8) : anywhere;
}

function replace(
  { files, borders }: Patient,
  chance: Chance,
  change: (bytes: Uint8Array, borders: readonly number[]) => Uint8Array,
  names: readonly string[] = [...files.keys()],
): void {
  if (names.length === 0) return;
  const name = chance.of(names);
  const bytes = files.get(name);
  if (bytes !== undefined && bytes.length > 0) files.set(name, change(bytes, borders.get(name) ?? []));
}

function edit(
  patient: Patient,
  chance: Chance,
  change: (bytes: Uint8Array, borders: readonly number[]) => void,
): void {
  replace(patient, chance, (bytes, borders) => {
    const copy = Uint8Array.from(bytes);
    change(copy, borders);
    return copy;
  });
}

function records(
  patient: Patient,
  chance: Chance,
  change: (bytes: Uint8Array, borders: readonly number[]) => Uint8Array,
): void {
  const segments = [...patient.files.keys()].filter((name) => (patient.borders.get(name)?.length ?? 0) > 2);
  replace(patient, chance, change, segments);
}

function padded(bytes: Uint8Array, length: number): Uint8Array {
  const longer = new Uint8Array(Math.max(length, bytes.length));
  longer.set(bytes);
  return longer;
}
