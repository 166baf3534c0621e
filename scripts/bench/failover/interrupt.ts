import { spawn } from "node:child_process";
import { join } from "node:path";
import { endRunning } from "../../../src/machine/process.ts";
import { checkout } from "../../tree.ts";

/** This process may hold the lab's lock, and gives it back by its end: another one takes the lab down then. */
export function takeDownWhenInterrupted(lab_name: string): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      endRunning();
      process.stderr.write(`\ninterrupted: lab ${lab_name} is taken down\n`);
      const down = spawn(join(checkout, "duet"), ["lab", "down", "--name", lab_name], {
        detached: true,
        stdio: "ignore",
      });
      down.unref();
      process.exit(130);
    });
}
