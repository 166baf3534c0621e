import { type ChildProcess, spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fail } from "../../src/base/problem.ts";
import { now_ms, sleep } from "../../src/machine/clock.ts";
import { run, type RunOptions } from "../../src/machine/process.ts";
import type { Seat } from "./seat.ts";
import { type Found, readFound, readStatus, readVerdict, type Status, type Verdict } from "./status.ts";

/** Writes begun in a second at most, in waves of 128: the two cores that play both machines must not be all theirs. */
const rate_default = 2000;
const writers = 128;
/** An operation that nobody answers ends after 12 s; the rest is for a busy host. */
const stop_ms_max = 40_000;
const fresh_ms_max = 5_000;
const judge_ms_max = 180_000;
const look_ms = 20;

/** 128 writers and a few readers, with a history of all that they did. */
export class Crowd {
  readonly #child: ChildProcess;
  readonly #seat: Seat;
  /** Of every key. */
  readonly #prefix: string;
  readonly history: string;
  readonly picture: string;
  #status: Status | undefined;
  #exit: number | string | undefined;
  #complaint = "";

  private constructor(child: ChildProcess, seat: Seat, prefix: string, history: string) {
    this.#child = child;
    this.#seat = seat;
    this.#prefix = prefix;
    this.history = history;
    this.picture = join(seat.folder, "violation.html");
    if (child.stdout !== null)
      createInterface({ input: child.stdout }).on("line", (line) => {
        this.#status = readStatus(line);
      });
    child.stderr?.on("data", (chunk: Buffer) => {
      this.#complaint = `${this.#complaint}${chunk.toString()}`.slice(-1000);
    });
    child.stdin?.on("error", () => {
      // It ended before it was told to: its status tells why.
    });
    child.on("error", (error) => {
      this.#exit = error.message;
    });
    child.on("close", (status, signal) => {
      this.#exit = status ?? signal ?? "unknown";
    });
  }

  /** From now on they write; `per_s` is a steady rate instead of waves. Comes back with the first acknowledged write. */
  static async begin(seat: Seat, per_s?: number): Promise<Crowd> {
    const begun = Date.now();
    const prefix = `clients/${begun}/`;
    const history = join(seat.folder, `history-${begun}.jsonl`);
    const pace =
      per_s === undefined ? ["-rate", rate_default, "-wave", writers] : ["-rate", per_s, "-wave", 1];
    const own = ["-history", history, "-prefix", prefix, ...pace.map(String), "-writers", String(writers)];
    const [first, ...rest] = await seat.enter([seat.program, "load", ...seat.connection, ...own]);
    // It ends when its input does, so also where this process is killed.
    const child = spawn(first, rest, { stdio: ["pipe", "pipe", "pipe"], detached: true });
    const crowd = new Crowd(child, seat, prefix, history);
    await crowd.#while(stop_ms_max, () => (crowd.#status?.acknowledged ?? 0) === 0);
    return crowd;
  }

  async #while(deadline_ms: number, goesOn: () => boolean): Promise<void> {
    const end_ms = now_ms() + deadline_ms;
    while (!this.isOver && goesOn() && now_ms() < end_ms) await sleep(look_ms);
  }

  /** What it said last, some fifth of a second ago. */
  get status(): Status {
    if (this.#status === undefined || (this.isOver && this.#exit !== 0))
      return fail(
        "DUET-E-PROCESS-FAILED",
        "the clients",
        `they ended with status ${this.#exit ?? "none"}: ${this.#complaint}`,
        "see their message",
      );
    return this.#status;
  }

  /** What it says from now on. */
  async fresh(): Promise<Status> {
    const before = this.#status;
    await this.#while(fresh_ms_max, () => this.#status === before);
    return this.status;
  }

  get isOver(): boolean {
    return this.#exit !== undefined;
  }

  /** No new operation begins; waits for the end of those that are under way. */
  async stop(): Promise<Status> {
    this.#child.stdin?.end("stop\n");
    await this.#while(stop_ms_max, () => true);
    if (!this.isOver) this.kill();
    return this.status;
  }

  kill(): void {
    // The whole group: nsenter does not take what it started with it.
    try {
      if (this.#child.pid !== undefined && !this.isOver) process.kill(-this.#child.pid, "SIGKILL");
    } catch {
      // It ended in this very moment.
    }
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
