import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { DuetError } from "../base/problem.ts";

/** A program that stays and answers each line that it is given with one line. */
export interface Companion {
  /** One question at a time: the next may be asked when the last was answered. */
  ask(line: string): Promise<string>;
  end(): void;
}

/**
 * Starts it. It hears of its end by a closed input, also where this process is killed: so it can't be left behind. What it
 * complains about goes where this process complains.
 */
export function startCompanion(argv: readonly [string, ...string[]], deadline_ms: number): Companion {
  const [program, ...args] = argv;
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  let over: string | undefined;
  let waiting: { resolve(line: string): void; reject(error: unknown): void } | undefined;
  const settle = () => {
    const asked = waiting;
    waiting = undefined;
    return asked;
  };
  const ended = (why: string) => {
    over ??= why;
    settle()?.reject(problem("DUET-E-PROCESS-FAILED", program, over, "see its message"));
  };
  createInterface({ input: child.stdout }).on("line", (line) => settle()?.resolve(line));
  child.stdin.on("error", () => {
    // It ended before it read the question: its status tells why.
  });
  child.on("error", (error) => ended(error.message));
  child.on("close", (status, signal) => ended(`it ended with status ${status ?? signal} and gave no answer`));
  return {
    ask: async (line) => {
      if (over !== undefined) throw problem("DUET-E-PROCESS-FAILED", program, over, "see its message");
      let timer: NodeJS.Timeout | undefined;
      const answer = new Promise<string>((resolve, reject) => {
        waiting = { resolve, reject };
        timer = setTimeout(() => {
          settle()?.reject(
            problem(
              "DUET-E-PROCESS-DEADLINE",
              program,
              `it gave no answer within ${deadline_ms} ms`,
              "see what it waits for",
            ),
          );
        }, deadline_ms);
        child.stdin.write(`${line}\n`);
      });
      return await answer.finally(() => clearTimeout(timer));
    },
    end: () => {
      child.stdin.end();
      child.kill("SIGKILL");
    },
  };
}

const problem = (code: string, where: string, what: string, fix: string): DuetError =>
  new DuetError([{ code, where, what, fix }]);
