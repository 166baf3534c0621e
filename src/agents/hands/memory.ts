import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nothing_remembered, type Remembered } from "../../act/picture.ts";
import { paths } from "../../base/paths.ts";
import { no_word, type Word } from "../../decide/facts.ts";
import { isMissing, makeFolder } from "../../machine/files.ts";
import { lockFile, lockOf } from "../../machine/lock.ts";
import { decodeMemory, encodeMemory } from "./memory-text.ts";

/** What is known of the membership of now beside its name. Times are of a clock that starts with the boot and never jumps. */
export interface RingNote {
  readonly ring: string;
  /** It was formed between these two: the last look at another one, if there was one, and the first at this. */
  readonly other_ms: number | undefined;
  readonly first_ms: number;
  /** The last look at it, about. */
  readonly last_ms: number;
  /** The last look at any membership that had the peer in it. */
  readonly together_ms: number | undefined;
  /** By how much the system's clock was ahead of the one that never jumps at the first look; it is not in what an older duet kept. */
  readonly ahead_ms?: number | undefined;
}

/** An admin's word is for what he saw: in another membership it says nothing. */
export interface Spoken {
  readonly word: Word;
  readonly ring: string;
}

/** What duet on this machine keeps between two of its short lives, for as long as the machine is up. */
export interface Memory {
  readonly remembered: Remembered;
  readonly ring: RingNote | undefined;
  readonly spoken: Spoken | undefined;
  /** When the peer was last heard in the very boot of which its Off had been read, by the system's clock. */
  readonly falseOff_ms: number | undefined;
}

export const nothing_in_memory: Memory = {
  remembered: nothing_remembered,
  ring: undefined,
  spoken: undefined,
  falseOff_ms: undefined,
};

/** What was said in this very membership. */
export const wordIn = ({ spoken }: Pick<Memory, "spoken">, ring: string): Word =>
  spoken?.ring === ring ? spoken.word : no_word;

/**
 * The one file of it, under /run. It names the boot that it belongs to: where /run outlived one, it says nothing. Several agents
 * may be at work at once, and none may undo what another noted (a proof of Off would be lost), so a change is made under a lock.
 */
export class MemoryFile {
  readonly #folder: string;
  readonly #bootFile: string;
  #boot: string | undefined;

  constructor(folder: string = paths.run, bootFile = "/proc/sys/kernel/random/boot_id") {
    this.#folder = folder;
    this.#bootFile = bootFile;
  }

  get #path(): string {
    return join(this.#folder, "memory");
  }

  read(): Memory {
    this.#boot ??= readFileSync(this.#bootFile, "utf8").trim();
    try {
      return decodeMemory(readFileSync(this.#path, "utf8"), this.#boot) ?? nothing_in_memory;
    } catch (error) {
      if (isMissing(error)) return nothing_in_memory;
      throw error;
    }
  }

  /** `change` may be called twice, and returns what it was given where there is nothing to change. */
  async change(change: (was: Memory) => Memory): Promise<Memory> {
    const seen = this.read();
    if (change(seen) === seen) return seen;
    await makeFolder(this.#folder, 0o700);
    await using lock = await lockFile(lockOf(this.#path));
    void lock;
    const was = this.read();
    const next = change(was);
    if (next === was) return was;
    // Nothing in this folder outlives a crash of the machine: there is nothing to sync.
    const beside = `${this.#path}.tmp`;
    writeFileSync(beside, encodeMemory(next, this.#boot ?? ""), { mode: 0o600 });
    renameSync(beside, this.#path);
    return next;
  }
}
