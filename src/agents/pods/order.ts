import type { Process } from "../../machine/processes.ts";
import { podsPolicy } from "../../render/policy.ts";
import type { Wish } from "./container.ts";

/**
 * `monitor`: CRI-O's own, one beside each container. `sandbox`: what holds a pod's namespaces. `api`: the API server, which others ask
 * until their end: workloads, and the controllers that give up their leases.
 */
export type Kind = "other" | "api" | "sandbox" | "monitor";

export interface PodProcess extends Pick<Process, "pid" | "parent" | "name"> {
  readonly kind: Kind;
  readonly wish: Wish;
}

export interface Signal {
  readonly pid: number;
  readonly signal: Wish["signal"];
}

/** Of /proc/PID/cgroup: a pod's own below `kubepods`, or that of the monitor which CRI-O gives to each container. */
export const isOfPod = (cgroup: string): boolean =>
  cgroup.split("\n").some((line) => /[:/]kubepods[./]|\/crio-conmon-[0-9a-f]+\.scope/.test(line));

export function kindOf({ name }: Pick<Process, "name">): Kind {
  if (name.startsWith("conmon")) return "monitor";
  if (name === "pause") return "sandbox";
  return name === "kube-apiserver" ? "api" : "other";
}

export const times = {
  api_ms: podsPolicy.api_s.value * 1000,
  all_ms: podsPolicy.all_s.value * 1000,
  marked_ms: podsPolicy.marked_s.value * 1000,
  killed_ms: podsPolicy.killed_s.value * 1000,
} as const;

/**
 * What to send to whom now. Only the first process of a container is told, as Kubernetes does it: the others are its own. A monitor is
 * told nothing while its container runs: it would pass the signal on, and for the API server a second one means to end at once.
 * `asked`: who was told before, and when.
 */
export function signalsAt(
  elapsed_ms: number,
  processes: readonly PodProcess[],
  asked: ReadonlyMap<number, number>,
): readonly Signal[] {
  if (elapsed_ms >= times.all_ms) return processes.map(({ pid }) => ({ pid, signal: "SIGKILL" }));
  const turn = turnAt(elapsed_ms, new Set(processes.map(({ kind }) => kind)));
  const within = new Set(processes.filter(({ kind }) => kind !== "monitor").map(({ pid }) => pid));
  return processes.flatMap(({ pid, parent, kind, wish }): readonly Signal[] => {
    if (!turn.has(kind) || within.has(parent)) return [];
    const asked_ms = asked.get(pid);
    if (asked_ms === undefined) return [{ pid, signal: wish.signal }];
    return elapsed_ms - asked_ms < wish.grace_ms ? [] : [{ pid, signal: "SIGKILL" }];
  });
}

/** Whose time it is, one after the other. The API server does not wait for ever. */
function turnAt(elapsed_ms: number, left: ReadonlySet<Kind>): ReadonlySet<Kind> {
  const turn = new Set<Kind>(["other"]);
  if (!left.has("other") || elapsed_ms >= times.api_ms) turn.add("api");
  if (!left.has("other") && !left.has("api")) turn.add("sandbox");
  if (left.size === 1) turn.add("monitor");
  return turn;
}
