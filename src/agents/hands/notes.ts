import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { paths } from "../../base/paths.ts";
import { isMissing } from "../../machine/files.ts";

/**
 * `started`, `promoted`: what Pacemaker has asked for. `leaving`: a stop is under way, and nobody else works.
 * `publish`: what is published is published once more. `wake`: there is something to look at; systemd watches this one, and
 * starts the one-shot, or starts it again when it has ended.
 */
export type Note = "started" | "promoted" | "leaving" | "publish" | "wake";

/**
 * What the short-lived parts of the agent leave for each other: files under /run, gone with the boot. Each is there or not, so
 * nobody has to wait for a lock to write one.
 */
export class Notes {
  readonly #folder: string;

  constructor(folder: string = paths.run) {
    this.#folder = folder;
  }

  has(note: Note): boolean {
    return statSync(this.#at(note), { throwIfNoEntry: false }) !== undefined;
  }

  set(note: Note): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileSync(this.#at(note), "", { mode: 0o600 });
  }

  drop(...notes: readonly Note[]): void {
    for (const note of notes) rmSync(this.#at(note), { force: true });
  }

  /** Was it there? It is not any more. What is noted after this is for the next look. */
  take(note: Note): boolean {
    const there = this.has(note);
    if (there) this.drop(note);
    return there;
  }

  /** How often etcd could not be started, one time after the other. */
  get failedStarts(): number {
    try {
      const count = Number(readFileSync(this.#at("failed-starts"), "utf8"));
      return Number.isSafeInteger(count) && count > 0 ? count : 0;
    } catch (error) {
      if (isMissing(error)) return 0;
      throw error;
    }
  }

  noteStart(worked: boolean): void {
    const path = this.#at("failed-starts");
    if (worked) return rmSync(path, { force: true });
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.tmp`, `${this.failedStarts + 1}\n`, { mode: 0o600 });
    renameSync(`${path}.tmp`, path);
  }

  #at(name: string): string {
    return join(this.#folder, name);
  }
}
