import { endRunning } from "../machine/process.ts";

const status_interrupted = 130;

/** Ctrl-C, or a polite end by somebody else: what this program started ends with it, and it says what is left. */
export function onInterrupt(left: string): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      endRunning();
      process.stderr.write(`\ninterrupted: ${left}\n`);
      process.exit(status_interrupted);
    });
  }
}
