import { rm } from "node:fs/promises";
import { join } from "node:path";
import { run, type RunOptions } from "../../src/machine/process.ts";
import { Child } from "./child.ts";
import type { Seat } from "./seat.ts";
import {
  type Found,
  readFound,
  readRevisions,
  readStatus,
  readVerdict,
  type Revisions,
  type Status,
  type Verdict,
} from "./status.ts";

/** Writes begun in a second at most, in waves of 128: the two cores that play both machines must not be all theirs. */
const rate_default = 2000;
const writers = 128;
/** An operation that nobody answers ends after 12 s; the rest is for a busy host. */
const stop_ms_max = 40_000;
const judge_ms_max = 180_000;

/** 128 writers and a few readers, with a history of all that they did. */
export class Crowd {
  readonly #child: Child<Status>;
  readonly #seat: Seat;
  /** Of every key. */
  readonly #prefix: string;
  readonly history: string;
  readonly picture: string;

  private constructor(child: Child<Status>, seat: Seat, prefix: string, history: string) {
    this.#child = child;
    this.#seat = seat;
    this.#prefix = prefix;
    this.history = history;
    this.picture = join(seat.folder, "violation.html");
  }

  /** From now on they write; `per_s` is a steady rate instead of waves. Comes back with the first acknowledged write. */
  static async begin(seat: Seat, per_s?: number): Promise<Crowd> {
    const begun = Date.now();
    const prefix = `clients/${begun}/`;
    const history = join(seat.folder, `history-${begun}.jsonl`);
    const pace =
      per_s === undefined ? ["-rate", rate_default, "-wave", writers] : ["-rate", per_s, "-wave", 1];
    const own = ["-history", history, "-prefix", prefix, ...pace.map(String), "-writers", String(writers)];
    const argv = await seat.enter([seat.program, "load", ...seat.connection, ...own]);
    const child = new Child(argv, readStatus, stop_ms_max);
    await child.while((status) => (status?.acknowledged ?? 0) === 0);
    return new Crowd(child, seat, prefix, history);
  }

  get status(): Status {
    return this.#child.status;
  }

  fresh(): Promise<Status> {
    return this.#child.fresh();
  }

  get isOver(): boolean {
    return this.#child.isOver;
  }

  stop(): Promise<Status> {
    return this.#child.stop();
  }

  kill(): void {
    this.#child.kill();
  }

  /** Whether the history can be that of one store that loses nothing. Only when they have stopped. */
  async check(): Promise<Verdict> {
    return readVerdict(await this.#judge(["check", "-history", this.history, "-picture", this.picture]));
  }

  /** Whether every machine that votes holds every acknowledged write. Only when they have stopped. */
  async verify(): Promise<Found> {
    const own = ["-history", this.history, "-prefix", this.#prefix];
    return readFound(await this.#judge(["verify", ...this.#seat.connection, ...own]));
  }

  /** Whether etcd's revisions only ever grew, whatever was lost. `before`: what clients before these had seen. Only when they have stopped. */
  async revisions(before: number): Promise<Revisions> {
    const own = ["-history", this.history, "-prefix", this.#prefix, "-before", String(before)];
    return readRevisions(await this.#judge(["revisions", ...this.#seat.connection, ...own]));
  }

  /** Takes what they wrote out of etcd, if somebody serves, and their history out of the folder. */
  async clean(): Promise<void> {
    await this.#run(["clean", ...this.#seat.connection, "-prefix", this.#prefix], { accept: "any" });
    await rm(this.history, { force: true });
  }

  /** Its verdict may be no, with status 1; any other end is an error. */
  #judge(argv: readonly string[]): Promise<string> {
    return this.#run(argv, { accept: [0, 1], deadline_ms: judge_ms_max });
  }

  async #run(argv: readonly string[], options: RunOptions): Promise<string> {
    const { stdout } = await run(await this.#seat.enter([this.#seat.program, ...argv]), {
      deadline_ms: 60_000,
      ...options,
    });
    return stdout;
  }
}
