import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fail } from "../../src/base/problem.ts";
import { now_ms, sleep } from "../../src/machine/clock.ts";

const fresh_ms_max = 5_000;
const look_ms = 20;

/** A program of clients: it tells its status line by line, and ends when its input does, so also where this process is killed. */
export class Child<T> {
  readonly #child: ChildProcess;
  readonly #stop_ms_max: number;
  #status: T | undefined;
  #exit: number | string | undefined;
  #complaint = "";

  /** `stop_ms_max`: until the last operation that is under way must have ended. */
  constructor(
    [program, ...rest]: readonly [string, ...string[]],
    read: (line: string) => T,
    stop_ms_max: number,
  ) {
    const child = spawn(program, rest, { stdio: ["pipe", "pipe", "pipe"], detached: true });
    this.#child = child;
    this.#stop_ms_max = stop_ms_max;
    createInterface({ input: child.stdout }).on("line", (line) => {
      this.#status = read(line);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      this.#complaint = `${this.#complaint}${chunk.toString()}`.slice(-1000);
    });
    child.stdin.on("error", () => {
      // It ended before it was told to: its status tells why.
    });
    child.on("error", (error) => {
      this.#exit = error.message;
    });
    child.on("close", (status, signal) => {
      this.#exit = status ?? signal ?? "unknown";
    });
  }

  /** Waits while that is so, and no longer than the program lives. */
  async while(goesOn: (status: T | undefined) => boolean, deadline_ms = this.#stop_ms_max): Promise<void> {
    const end_ms = now_ms() + deadline_ms;
    while (!this.isOver && goesOn(this.#status) && now_ms() < end_ms) await sleep(look_ms);
  }

  /** What it said last, some fifth of a second ago. */
  get status(): T {
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
  async fresh(): Promise<T> {
    const before = this.#status;
    await this.while((status) => status === before, fresh_ms_max);
    return this.status;
  }

  get isOver(): boolean {
    return this.#exit !== undefined;
  }

  /** No new operation begins; waits for the end of those that are under way. */
  async stop(): Promise<T> {
    this.#child.stdin?.end("stop\n");
    await this.while(() => true);
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
}
