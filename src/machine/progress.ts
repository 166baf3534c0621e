import { now_ms } from "./clock.ts";

/** One line per step with its time, on stderr, so that stdout stays for the answer. */
export class Progress {
  readonly #out: NodeJS.WritableStream & { isTTY?: boolean };
  readonly #start_ms = now_ms();
  readonly steps: { name: string; ms: number }[] = [];

  constructor(out: NodeJS.WritableStream & { isTTY?: boolean } = process.stderr) {
    this.#out = out;
  }

  /** Runs a step; on a terminal a running clock shows that it lives, elsewhere a start line does. */
  async step<T>(name: string, work: (say: (detail: string) => void) => Promise<T>): Promise<T> {
    const start_ms = now_ms();
    let detail = "";
    const tty = this.#out.isTTY === true;
    const draw = () =>
      this.#out.write(`\r\x1b[K  … ${name}${detail && ` (${detail})`}  ${seconds(now_ms() - start_ms)}`);
    const ticker = tty ? setInterval(draw, 100) : undefined;
    const late = tty ? undefined : setTimeout(() => this.#out.write(`  … ${name}\n`), 2_000);
    try {
      const result = await work((text) => {
        detail = text;
      });
      const ms = now_ms() - start_ms;
      this.steps.push({ name, ms });
      this.#line(tty, "✓", `${name}${detail && ` (${detail})`}`, ms);
      return result;
    } catch (error) {
      this.#line(tty, "✗", name, now_ms() - start_ms);
      throw error;
    } finally {
      clearInterval(ticker);
      clearTimeout(late);
    }
  }

  /** A line without a step. */
  say(text: string): void {
    this.#out.write(`${text}\n`);
  }

  get total_ms(): number {
    return now_ms() - this.#start_ms;
  }

  #line(tty: boolean, mark: string, name: string, ms: number): void {
    this.#out.write(`${tty ? "\r\x1b[K" : ""}  ${mark} ${name.padEnd(58)} ${seconds(ms).padStart(8)}\n`);
  }
}

export function seconds(ms: number): string {
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
