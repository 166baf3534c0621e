import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { checkoutFolder } from "./checkout.ts";
import { dropLocks } from "./lock.ts";

const down_ms_max = 60_000;

/**
 * Takes a lab away from under whatever this process is doing with it, for one that is about to end: it stands still
 * meanwhile, so that nothing is made again behind the other's back. In a session of its own: another Ctrl-C does not cut it short.
 */
export function takeDownNow(name: string): boolean {
  dropLocks();
  const words = ["--wait", join(checkoutFolder(), "duet"), "lab", "down", "--name", name];
  const { status } = spawnSync("setsid", words, {
    stdio: ["ignore", "ignore", "inherit"],
    timeout: down_ms_max,
    killSignal: "SIGKILL",
  });
  return status === 0;
}
