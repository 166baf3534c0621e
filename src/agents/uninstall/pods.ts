import { now_ms, sleep } from "../../machine/clock.ts";
import { processesIn } from "../../machine/systemd.ts";

const grace_ms = 20_000;
const look_ms = 200;

/**
 * Containers outlive their kubelet and their CRI-O, which Pacemaker has stopped by now: an API server of a site that is gone would hold its
 * port, and what it knew in memory. They are told by their control group, whichever way CRI-O names it.
 */
export async function endPods(say: (detail: string) => void): Promise<void> {
  const first = await podProcesses();
  for (const pid of first) signal(pid, "SIGTERM");
  const end_ms = now_ms() + grace_ms;
  while ((await podProcesses()).length > 0 && now_ms() < end_ms) await sleep(look_ms);
  for (const pid of await podProcesses()) signal(pid, "SIGKILL");
  say(first.length === 0 ? "none" : `${first.length} processes`);
}

const podProcesses = (): Promise<readonly number[]> => processesIn(isOfPod);

/** Of /proc/PID/cgroup: a pod's own below `kubepods`, or that of the monitor which CRI-O gives to each container. */
export const isOfPod = (cgroup: string): boolean =>
  cgroup.split("\n").some((line) => /[:/]kubepods[./]|\/crio-conmon-[0-9a-f]+\.scope/.test(line));

function signal(pid: number, name: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}
