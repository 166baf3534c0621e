import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import * as v from "valibot";
import { fail } from "../../src/base/problem.ts";
import { until } from "../../src/machine/clock.ts";
import type { Lab } from "../folder.ts";
import { commandIn, runIn, seatName } from "../run.ts";
import { folder, selector } from "./written.ts";

const program = join(import.meta.dirname, "writer-main.ts");
const stop_ms_max = 60_000;
const look_ms = 50;

const shape = v.object({
  acknowledged: v.number(),
  failed: v.number(),
  /** The longest time between two acknowledged writes. */
  gap_ms: v.number(),
  /** Acknowledged and not there any more; only at the end. */
  missing: v.optional(v.array(v.string())),
});
export type Written = v.InferOutput<typeof shape>;

/** A client at the operator's seat that writes through the API's address, until it is told to stop. */
export class Writer {
  readonly #child: ChildProcess;
  #written: Written = { acknowledged: 0, failed: 0, gap_ms: 0 };
  #exit: number | string | undefined;
  #complaint = "";

  private constructor(child: ChildProcess) {
    this.#child = child;
    if (child.stdout !== null)
      createInterface({ input: child.stdout }).on("line", (line) => {
        this.#written = v.parse(shape, JSON.parse(line));
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

  /** The seat's kubeconfig is there: `lab up` has written it. */
  static async begin(lab: Lab): Promise<Writer> {
    const node = [process.execPath, "--disable-warning=ExperimentalWarning"];
    const [first, ...rest] = await commandIn(lab, seatName, [...node, program, "kubeconfig"]);
    // It ends when its input does, so also where this process is killed.
    return new Writer(spawn(first, rest, { stdio: ["pipe", "pipe", "pipe"], detached: true }));
  }

  get written(): Written {
    if (this.#exit !== undefined && this.#exit !== 0)
      return fail(
        "DUET-E-PROCESS-FAILED",
        "the client at the seat",
        `it ended with status ${this.#exit}: ${this.#complaint}`,
        "see its message",
      );
    return this.#written;
  }

  /** Until so many more writes were acknowledged. */
  async more(count: number, deadline_ms: number): Promise<void> {
    const wanted = this.written.acknowledged + count;
    await until(
      `${count} writes acknowledged through the API's address`,
      async () => this.written.acknowledged >= wanted,
      { deadline_ms, every_ms: look_ms },
    );
  }

  /** No new write begins; what it found of those that were acknowledged. */
  async stop(): Promise<Written> {
    this.#child.stdin?.end();
    await until("the client's end", async () => this.#exit !== undefined, {
      deadline_ms: stop_ms_max,
      every_ms: look_ms,
    });
    return this.written;
  }

  /** Takes what it wrote out of the API, if that answers: for a lab that is kept. */
  async clean(lab: Lab): Promise<void> {
    await runIn(lab, seatName, ["kubectl", "delete", "--raw", `${folder}?${selector}`], {
      accept: "any",
      deadline_ms: stop_ms_max,
    });
  }

  kill(): void {
    try {
      // The whole group: nsenter does not take what it started with it.
      if (this.#child.pid !== undefined && this.#exit === undefined)
        process.kill(-this.#child.pid, "SIGKILL");
    } catch {
      // It ended in this very moment.
    }
  }
}
