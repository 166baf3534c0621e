import { rm } from "node:fs/promises";
import { join } from "node:path";
import { now_ms } from "../../src/machine/clock.ts";
import { run, type RunOptions } from "../../src/machine/process.ts";
import { Child } from "./child.ts";
import { in_flight } from "./demands.ts";
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

/** More than are to be in flight: some have had their answer, and have not sent the next write yet. */
const writers = 160;
const as_etcd_takes = 0;
/** An operation that nobody answers ends after 12 s; the rest is for a busy host. */
const stop_ms_max = 40_000;
/** Where one machine alone served for minutes there are a million writes. */
const judge_ms_max = 400_000;
/** A reader that waits for a machine gives up after 12 s and asks anew. */
const read_ms_max = 20_000;

/** Writers and a few readers, with a history of all that they did. */
export class Crowd {
  readonly #child: Child<Status>;
  readonly #seat: Seat;
  /** Of every key. */
  readonly #prefix: string;
  /** So many are to be in flight at any time. */
  readonly #wanted: number;
  readonly history: string;
  readonly picture: string;

  private constructor(child: Child<Status>, seat: Seat, prefix: string, history: string, wanted: number) {
    this.#child = child;
    this.#seat = seat;
    this.#prefix = prefix;
    this.#wanted = wanted;
    this.history = history;
    this.picture = join(seat.folder, "violation.html");
  }

  /**
   * From now on they write, with 128 writes in flight at any time; `per_s` is a steady rate instead, whatever is in flight. Comes back
   * with the first acknowledged write.
   */
  static async begin(seat: Seat, per_s?: number): Promise<Crowd> {
    const begun = Date.now();
    const prefix = `clients/${begun}/`;
    const history = join(seat.folder, `history-${begun}.jsonl`);
    const pace = ["-writers", writers, "-rate", per_s ?? as_etcd_takes];
    const own = ["-history", history, "-prefix", prefix, ...pace.map(String)];
    const argv = await seat.enter([seat.program, "load", ...seat.connection, ...own]);
    const child = new Child(argv, readStatus, stop_ms_max);
    await child.while((status) => (status?.acknowledged ?? 0) === 0);
    return new Crowd(child, seat, prefix, history, per_s === undefined ? in_flight : 0);
  }

  get status(): Status {
    return this.#child.status;
  }

  fresh(): Promise<Status> {
    return this.#child.fresh();
  }

  /** Those of these machines that answer no linearizable read that is asked for from now on. They must be at it still. */
  async unread(machines: readonly string[], within_ms = read_ms_max): Promise<readonly string[]> {
    const asked_us = (await this.fresh()).now_us;
    const mute = () =>
      machines.filter((name) => (this.status.endpoints[name]?.last_linearizable_us ?? 0) <= asked_us);
    for (const end_ms = now_ms() + within_ms; mute().length > 0 && now_ms() < end_ms; ) await this.fresh();
    return mute();
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
    const own = ["-history", this.history, "-picture", this.picture, "-flight", String(this.#wanted)];
    return readVerdict(await this.#judge(["check", ...own]));
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
