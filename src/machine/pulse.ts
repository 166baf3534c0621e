import { stat } from "node:fs";

const every_ms = 500;

/**
 * glibc before 2.41, which is that of Debian 12, now and then loses the wake-up of a thread that waits (its bug 25847). Then a file is asked
 * for, all of node's threads for that sleep, and who asked waits until somebody asks for another one; in the lab once for eleven minutes, until
 * then. So somebody does. It keeps no process alive, and begins nothing while the last one is not answered: that of a disk that hangs.
 */
export function keepThreadsAwake(): void {
  let asks = false;
  setInterval(() => {
    if (asks) return;
    asks = true;
    stat("/", () => {
      asks = false;
    });
  }, every_ms).unref();
}
