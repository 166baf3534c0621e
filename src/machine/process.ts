import { spawn } from "node:child_process";
import { fail } from "../base/problem.ts";

export interface RunOptions {
  /** The program is ended then, and the call `unended_ms` later at most; there is no call without an end. */
  readonly deadline_ms?: number;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Statuses that are an answer and not an error; default only 0. "any" takes each. */
  readonly accept?: readonly number[] | "any";
  readonly output_bytes_max?: number;
  /** Open files that the program gets as descriptors 3, 4, … */
  readonly inherit?: readonly number[];
  /** Replaced by tests: no program that they could start outlives being killed. */
  readonly kill?: (pid: number) => void;
}

/** One that was killed is gone at once, unless the system itself holds it: at a dead disk, or somebody's mount. */
export const unended_ms = 2_000;

export interface RunResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Groups of the programs that run now: they are groups of their own, so the terminal's Ctrl-C does not reach them. */
const running = new Set<number>();

/** Ends every program that `run` has started and that still runs: for a program that is about to end itself. */
export function endRunning(): void {
  for (const pid of running) killGroup(pid);
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It ended in this very moment.
  }
}

/** Never started: what a shell reports for a command that it can't find. */
const status_not_found = 127;
const status_killed = 128 + 9;

type Ended = "by itself" | "deadline" | "output";

/**
 * The one door through which duet starts programs: an argument array, never a shell line; a deadline; bounded output.
 * Secrets go in by `input` or a file, never by `argv`, which every user of the machine can read.
 */
export async function run(
  argv: readonly [string, ...string[]],
  options: RunOptions = {},
): Promise<RunResult> {
  const { deadline_ms = 30_000, output_bytes_max = 16 << 20, accept = [0], kill = killGroup } = options;
  const [program, ...args] = argv;
  const result = await new Promise<RunResult & { ended: Ended; stays?: boolean }>((resolve) => {
    // A group of its own, so that the deadline also ends what the program started.
    const child = spawn(program, args, {
      detached: true,
      stdio: ["pipe", "pipe", "pipe", ...(options.inherit ?? [])],
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(options.env === undefined ? {} : { env: { ...process.env, ...options.env } }),
    });
    let ended: Ended = "by itself";
    let grace: NodeJS.Timeout | undefined;
    const end = (why: Ended) => {
      if (ended !== "by itself") return;
      ended = why;
      if (child.pid !== undefined) kill(child.pid);
      // What left the group and still holds a pipe must not hold us.
      child.stdin?.destroy();
      child.stdout?.destroy();
      child.stderr?.destroy();
      // Nor must what can't be ended: it is left to itself.
      grace = setTimeout(() => {
        child.unref();
        resolve({ status: status_killed, stdout: "", stderr: "", ended, stays: true });
      }, unended_ms);
    };
    if (child.pid !== undefined) running.add(child.pid);
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let bytes = 0;
    const collect = (into: Buffer[]) => (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > output_bytes_max) end("output");
      else into.push(chunk);
    };
    child.stdout?.on("data", collect(out));
    child.stderr?.on("data", collect(err));
    const timer = setTimeout(end, deadline_ms, "deadline");
    child.on("error", (error) => {
      clearTimeout(timer);
      resolve({ status: status_not_found, stdout: "", stderr: error.message, ended });
    });
    child.on("close", (status, signal) => {
      clearTimeout(timer);
      clearTimeout(grace);
      if (child.pid !== undefined) running.delete(child.pid);
      resolve({
        status: status ?? (signal === "SIGKILL" ? status_killed : 128 + 15),
        stdout: Buffer.concat(out).toString(),
        stderr: Buffer.concat(err).toString(),
        ended,
      });
    });
    child.stdin?.on("error", () => {
      // The program did not want its input: its status tells.
    });
    child.stdin?.end(options.input ?? "");
  });

  const command = argv.join(" ").replace(/\s+/g, " ").slice(0, 200);
  if (result.ended === "deadline")
    fail(
      "DUET-E-PROCESS-DEADLINE",
      program,
      `\`${command}\` did not end within ${deadline_ms} ms${result.stays === true ? ", and can't be ended: the system holds it" : ""}`,
      result.stays === true ? "see which disk or mount does not answer" : "see what it waits for",
    );
  if (result.ended === "output")
    fail(
      "DUET-E-PROCESS-OUTPUT",
      program,
      `\`${command}\` printed more than ${output_bytes_max} bytes`,
      "report this",
    );
  if (accept !== "any" && !accept.includes(result.status)) {
    const said = (result.stderr.trim() || result.stdout.trim()).split("\n").slice(-6).join("\n");
    fail(
      "DUET-E-PROCESS-FAILED",
      program,
      `\`${command}\` ended with status ${result.status}: ${said}`,
      "see its message",
    );
  }
  return result;
}
