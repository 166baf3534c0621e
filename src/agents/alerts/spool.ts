import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { errnoOf, makeFolder, readIfThere, replaceSynced } from "../../machine/files.ts";
import { messageShape } from "./message.ts";

const entryShape = v.object({
  message: messageShape,
  /** The ways by which it has not gone yet. */
  to: v.array(v.string()),
  taken_ms: v.number(),
  /** Not before this. */
  due_ms: v.number(),
  /** It waits for this bucket's next token. */
  held: v.optional(v.string()),
  /** It is told only if this rule is still what the machine goes by. */
  still: v.optional(v.object({ question: v.string(), rule: v.string() })),
});
export type Entry = v.InferOutput<typeof entryShape>;

const stateShape = v.object({
  ways: v.record(
    v.string(),
    v.object({
      /** One after the other, since the last that went. */
      failures: v.number(),
      next_ms: v.number(),
      failed: v.optional(v.object({ at_ms: v.number(), why: v.string() })),
      sent_ms: v.optional(v.number()),
      given_up: v.number(),
    }),
  ),
  buckets: v.record(
    v.string(),
    v.object({ tokens: v.number(), filled_ms: v.number(), left_out: v.number() }),
  ),
  /** By machine: the membership in which its last fence was done that was told. Not in what an older duet kept. */
  fenced: v.optional(v.record(v.string(), v.string())),
});
export type SpoolState = v.InferOutput<typeof stateShape>;
export type WayState = SpoolState["ways"][string];

/** Messages that are not delivered yet, a file each, and how the tries went. One process writes, and anybody reads. */
export class Spool {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get #queue(): string {
    return join(this.#folder, "queue");
  }

  /** In the order in which they came. What can't be understood is thrown away. */
  async entries(): Promise<Entry[]> {
    const found: Entry[] = [];
    for (const name of (await this.#names()).toSorted()) {
      const path = join(this.#queue, name);
      const entry = parsed(entryShape, name.endsWith(".json") ? await readIfThere(path) : undefined);
      if (entry === undefined) await rm(path, { force: true });
      else found.push(entry);
    }
    return found;
  }

  /** The same for who only looks. */
  async peek(): Promise<readonly Entry[]> {
    const names = (await this.#names()).filter((name) => name.endsWith(".json")).toSorted();
    const texts = await Promise.all(names.map((name) => readIfThere(join(this.#queue, name))));
    return texts.map((text) => parsed(entryShape, text)).filter((entry) => entry !== undefined);
  }

  async put(entry: Entry): Promise<void> {
    await makeFolder(this.#queue, 0o700);
    await replaceSynced(this.#at(entry), `${JSON.stringify(entry)}\n`, 0o600);
  }

  async remove(entry: Entry): Promise<void> {
    await rm(this.#at(entry), { force: true });
  }

  async state(): Promise<SpoolState> {
    return parsed(stateShape, await readIfThere(this.#state)) ?? { ways: {}, buckets: {} };
  }

  async save(state: SpoolState): Promise<void> {
    await makeFolder(this.#folder, 0o700);
    await replaceSynced(this.#state, `${JSON.stringify(state)}\n`, 0o600);
  }

  get #state(): string {
    return join(this.#folder, "state.json");
  }

  #at({ taken_ms, message }: Entry): string {
    return join(this.#queue, `${String(taken_ms).padStart(15, "0")}-${message.id}.json`);
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await readdir(this.#queue);
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw error;
      return [];
    }
  }
}

function parsed<S extends v.GenericSchema>(shape: S, text: string | undefined): v.InferOutput<S> | undefined {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), text);
  return result.success ? result.output : undefined;
}
