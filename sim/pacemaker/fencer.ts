import type { Kernel } from "../kernel/kernel.ts";
import { Life } from "../kernel/life.ts";
import { traceKind } from "../kernel/trace.ts";
import type { FenceAgent, PacemakerPolicy } from "./agent.ts";

const line = traceKind(
  "pacemaker.fence",
  (machine, target, what) => `machine ${machine} fences machine ${target}: ${what}`,
);

/** One fence from command to confirmed off, with the device's delay first and its tries; false after the last. */
export async function fence(
  kernel: Kernel,
  agent: FenceAgent,
  policy: PacemakerPolicy,
  at: { readonly machine: number; readonly target: number; readonly life: Life },
): Promise<boolean> {
  const { machine, target, life } = at;
  const { tasks } = kernel;
  kernel.note(line, machine, target, "begins");
  const delay_us = policy.fence_delay_us[target] ?? 0;
  for (let tries = 0; tries < policy.off_tries; tries += 1) {
    if (delay_us > 0 && tries === 0) await tasks.sleep(life, delay_us);
    const attempt = new Life(life);
    const off = await tasks.answer<boolean>(life, (resolve) => {
      kernel.after(policy.off_timeout_us, () =>
        attempt.whenAwake(() => {
          attempt.end();
          resolve(false);
        }),
      );
      tasks.start(async () => {
        let result = false;
        try {
          result = await agent.off({ machine, target, life: attempt });
        } catch {
          result = false;
        }
        if (attempt.alive) resolve(result);
      });
    });
    kernel.note(line, machine, target, off ? "off is confirmed" : "failed");
    if (off) return true;
  }
  return false;
}
