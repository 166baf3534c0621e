import { DuetError } from "../src/base/problem.ts";
import { now_ms } from "../src/machine/clock.ts";
import { Progress, seconds } from "../src/machine/progress.ts";

export interface Outcome {
  readonly name: string;
  readonly end: "ok" | "failed" | "not run";
  readonly ms: number;
  readonly note: string;
}

/** A step that failed and has shown why: the message is for the table. */
export class StepFailed extends Error {}

/** Steps that all run, whatever became of the ones before, and a table at the end that says what failed. */
export class Steps {
  readonly progress: Progress;
  readonly #out: NodeJS.WritableStream;
  readonly outcomes: Outcome[] = [];

  constructor(out: NodeJS.WritableStream & { isTTY?: boolean } = process.stderr) {
    this.#out = out;
    this.progress = new Progress(out);
  }

  /** A step with a line of its own. What it returns is the note in the table. */
  async step(name: string, work: (say: (detail: string) => void) => Promise<string>): Promise<boolean> {
    return await this.quiet(name, async () => await this.progress.step(name, work));
  }

  /** The same for work that shows its own progress. */
  async quiet(name: string, work: () => Promise<string>): Promise<boolean> {
    const start_ms = now_ms();
    try {
      const note = await work();
      this.outcomes.push({ name, end: "ok", ms: now_ms() - start_ms, note });
      return true;
    } catch (error) {
      const told = error instanceof StepFailed;
      if (!told) this.#out.write(`${explain(error)}\n`);
      const note = told ? error.message : "see above";
      this.outcomes.push({ name, end: "failed", ms: now_ms() - start_ms, note });
      return false;
    }
  }

  /** Left out with a reason: no failure, but said. */
  notRun(name: string, why: string): void {
    this.outcomes.push({ name, end: "not run", ms: 0, note: why });
  }

  /** Left out because something that it needs failed. */
  blocked(name: string, why: string): void {
    this.outcomes.push({ name, end: "failed", ms: 0, note: why });
  }

  get failed(): boolean {
    return this.outcomes.some((o) => o.end === "failed");
  }

  table(): string {
    const width = Math.max(...this.outcomes.map((o) => o.name.length));
    const lines = this.outcomes.map(({ name, end, ms, note }) => {
      const mark = end === "ok" ? "✓" : end === "failed" ? "✗" : "-";
      const time = end === "not run" ? "" : seconds(ms);
      return `  ${mark} ${name.padEnd(width)}  ${end.padEnd(7)}  ${time.padStart(12)}  ${note}`.trimEnd();
    });
    return `${lines.join("\n")}\n`;
  }
}

function explain(error: unknown): string {
  if (error instanceof DuetError)
    return error.problems.map((p) => `${p.where}: ${p.what}\n    ${p.fix}`).join("\n");
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
