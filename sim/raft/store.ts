import type { StoreCopy } from "./types.ts";

/** etcd's database: every write makes a new revision. Values are the numbers of the clients' operations, each used once. */
export class Store {
  readonly values: number[];
  readonly keys: number[];
  readonly raised: number;
  readonly #newest = new Map<number, number>();

  constructor(copy?: StoreCopy, length = copy?.values.length ?? 0) {
    this.values = copy === undefined ? [] : copy.values.slice(0, length);
    this.keys = copy === undefined ? [] : copy.keys.slice(0, length);
    this.raised = copy?.raised ?? 0;
    for (let i = 0; i < this.values.length; i += 1) this.#newest.set(this.keys[i] ?? 0, this.values[i] ?? 0);
  }

  /** The number of writes so far. */
  get revision(): number {
    return this.values.length;
  }

  put(key: number, value: number): number {
    this.values.push(value);
    this.keys.push(key);
    this.#newest.set(key, value);
    return this.values.length;
  }

  /** The newest value of the key; 0 where it was never written. */
  get(key: number): number {
    return this.#newest.get(key) ?? 0;
  }

  copy(): StoreCopy {
    return { values: this.values.slice(), keys: this.keys.slice(), raised: this.raised };
  }
}
