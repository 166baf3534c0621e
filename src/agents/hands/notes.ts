import {
  type FSWatcher,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { paths } from "../../base/paths.ts";
import { sinceBoot_ms } from "../../machine/clock.ts";
import { isMissing } from "../../machine/files.ts";
import { failureOf } from "./outcome.ts";

/**
 * `started`, `promoted`: what Pacemaker has asked for. `leaving`: a stop is under way, and nobody else works.
 * `publish`: what is published is published once more. `wake`: there is something to look at; systemd watches this one, and
 * starts the one-shot, or starts it again when it has ended. `look`: the same for the guard, which runs all the time. `held`: etcd
 * was to be given up, and its process is still there. `unwritten`: the disk took no word of that. `stop-failed`: Pacemaker's last
 * stop failed, and it waits for a fence. `address-refused`: the API's address was kept from here (src/render/address-agent.ts).
 */
export type Note =
  | "started"
  | "promoted"
  | "leaving"
  | "publish"
  | "wake"
  | "look"
  | "held"
  | "unwritten"
  | "stop-failed"
  | "address-refused";

/**
 * What is counted from one try to the next: starts of etcd that failed, joins since this machine was last full, and reads that etcd
 * did not answer though it names a leader. `came-up`: the last start that seemed to work. `power-ons`: commands to switch the peer on that
 * were not taken yet. `down`: a monitor found etcd's port closed, by the first of a row.
 */
export type Tried = "failed-starts" | "came-up" | "joins" | "unread" | "power-ons" | "down";
const soon_ms = 30_000;
/** Between two looks where the system has no watch to give. */
const unwatched_ms = 100;

export interface Tries {
  readonly count: number;
  readonly ago_ms: number;
}

/**
 * What the short-lived parts of the agent leave for each other: files under /run, gone with the boot. Each is there or not, so
 * nobody has to wait for a lock to write one.
 */
export class Notes {
  readonly #folder: string;
  readonly #now_ms: () => number;
  readonly #watch: (folder: string) => FSWatcher;

  /** `now`: of a clock that starts with the boot and never jumps. `watchFolder`: replaced by tests. */
  constructor(
    folder: string = paths.run,
    now: () => number = sinceBoot_ms,
    watchFolder: (folder: string) => FSWatcher = watch,
  ) {
    this.#folder = folder;
    this.#now_ms = now;
    this.#watch = watchFolder;
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

  /**
   * Waits until something is so that notes tell of, so long at most. Woken by each note that comes or goes. The system gives out
   * so many watches and no more, to pods as well: without one it is looked at again and again, and nobody is told of a failure.
   * `over`: nobody waits any more.
   */
  async until(isSo: () => boolean, within_ms: number, over?: AbortSignal): Promise<void> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = () => {
      try {
        if (isSo()) resolve();
      } catch (error) {
        reject(error);
      }
    };
    let again: NodeJS.Timeout | undefined;
    const lookAgain = () => {
      again ??= setInterval(look, unwatched_ms);
    };
    const end = setTimeout(resolve, within_ms);
    over?.addEventListener("abort", () => resolve(), { once: true });
    const watcher = this.#watcher();
    if (watcher === undefined) lookAgain();
    else watcher.on("change", look).on("error", lookAgain);
    // What came before the watch began sends no event.
    look();
    try {
      await promise;
    } finally {
      clearTimeout(end);
      clearInterval(again);
      watcher?.close();
    }
  }

  #watcher(): FSWatcher | undefined {
    try {
      return this.#watch(this.#folder);
    } catch {
      return undefined;
    }
  }

  /** How often etcd could not be started, one time after the other. */
  get failedStarts(): number {
    return this.tries("failed-starts").count;
  }

  /** One that came up, and has to be started again so soon, did not work: it ends at its first write, say, on a full disk. */
  noteStart(cameUp: boolean): void {
    const works = cameUp && this.tries("came-up").ago_ms > soon_ms;
    if (works) this.forget("failed-starts");
    else this.count("failed-starts");
    if (cameUp) this.count("came-up");
  }

  /** How often it was tried, and how long ago the last time was. */
  tries(what: Tried): Tries {
    const [count = 0, at_ms = 0] = this.#read(what).split(" ").map(Number);
    if (!Number.isSafeInteger(count) || count <= 0) return { count: 0, ago_ms: Number.POSITIVE_INFINITY };
    return { count, ago_ms: Math.max(0, this.#now_ms() - (Number.isFinite(at_ms) ? at_ms : 0)) };
  }

  count(what: Tried): void {
    const path = this.#at(what);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.tmp`, `${this.tries(what).count + 1} ${Math.round(this.#now_ms())}\n`, {
      mode: 0o600,
    });
    renameSync(`${path}.tmp`, path);
  }

  /** Counted once: how long ago it began. Where that can't be noted it is for ever: who asks is not told that it is only a moment. */
  since_ms(what: Tried): number {
    if (this.tries(what).count > 0) return this.tries(what).ago_ms;
    try {
      this.count(what);
    } catch (error) {
      failureOf(error);
    }
    return this.tries(what).ago_ms;
  }

  forget(what: Tried): void {
    rmSync(this.#at(what), { force: true });
  }

  #read(name: string): string {
    try {
      return readFileSync(this.#at(name), "utf8");
    } catch (error) {
      if (isMissing(error)) return "";
      throw error;
    }
  }

  #at(name: string): string {
    return join(this.#folder, name);
  }
}
