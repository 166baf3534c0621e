import { endRunning } from "../machine/process.ts";

const status_interrupted = 130;

/**
 * Ctrl-C, or a polite end by somebody else: what this program started ends with it, and it says what is left. `clear` takes
 * away what nobody could go on from; nothing else of this program happens meanwhile.
 */
export function onInterrupt(left: string, clear: () => void = () => undefined): void {
  // Not once: npm passes a signal on that the terminal has sent already, and the second must not cut the first one's work short.
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      endRunning();
      process.stderr.write(`\ninterrupted: ${left}\n`);
      clear();
      process.exit(status_interrupted);
    });
}
