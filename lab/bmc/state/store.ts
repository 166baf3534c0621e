import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { fail } from "../../../src/base/problem.ts";
import { readIfThere, replaceSynced } from "../../../src/machine/files.ts";

/** What a BMC keeps in its flash: one file, replaced whole and synced, so that its process may die at any moment. */
export class Store<T> {
  readonly #path: string;
  #value: T;
  /** The last write: they go one after another, so that the last change is the one that stays. */
  #tail: Promise<void> = Promise.resolve();

  private constructor(path: string, value: T) {
    this.#path = path;
    this.#value = value;
  }

  /** Opens the state, filling in what an empty or older file lacks from the schema's defaults. */
  static async open<T>(folder: string, schema: v.GenericSchema<unknown, T>): Promise<Store<T>> {
    await mkdir(folder, { recursive: true });
    const path = join(folder, "state.json");
    const text = await readIfThere(path);
    let stored: unknown = {};
    try {
      if (text !== undefined) stored = JSON.parse(text);
    } catch {
      fail("DUET-E-BMC-STATE", path, "this is not JSON", "remove the file: the BMC then starts as new");
    }
    const parsed = v.safeParse(schema, stored);
    if (!parsed.success)
      fail(
        "DUET-E-BMC-STATE",
        path,
        v.summarize(parsed.issues),
        "remove the file: the BMC then starts as new",
      );
    return new Store(path, parsed.output);
  }

  get value(): T {
    return this.#value;
  }

  /** Changes some of the state. Resolves when it is on disk; only then may a client be told. */
  async update(change: (value: T) => Partial<T>): Promise<void> {
    const write = this.#write(this.#tail, change);
    this.#tail = write.catch(() => undefined);
    await write;
  }

  async #write(before: Promise<void>, change: (value: T) => Partial<T>): Promise<void> {
    await before;
    const next = { ...this.#value, ...change(this.#value) };
    const text = JSON.stringify(next, null, 2);
    if (text === JSON.stringify(this.#value, null, 2)) return;
    await replaceSynced(this.#path, `${text}\n`, 0o600);
    this.#value = next;
  }

  /** Resolves when nothing is being written any more. */
  async settled(): Promise<void> {
    await this.#tail;
  }
}
