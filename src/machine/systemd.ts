import { run } from "./process.ts";
import { processesIn } from "./processes.ts";

/** systemd's own words; see systemctl(1). */
export interface UnitState {
  readonly load: string;
  /** `activating` too has a process, if `pid` says so: one that is not ready yet. */
  readonly active: "active" | "reloading" | "inactive" | "failed" | "activating" | "deactivating" | "other";
  /** Of the main process; 0: none. */
  readonly pid: number;
  /** A start or stop of it waits or is under way. */
  readonly job: boolean;
  /** How the last run ended: `success`, `exit-code`, `signal`, … */
  readonly result: string;
}

const active_words = ["active", "reloading", "inactive", "failed", "activating", "deactivating"] as const;

export async function unitState(unit: string, deadline_ms: number): Promise<UnitState> {
  const { stdout } = await run(
    ["systemctl", "show", unit, "--property=LoadState,ActiveState,MainPID,Job,Result"],
    { deadline_ms },
  );
  return parseUnitState(stdout);
}

/** Lines such as `ActiveState=active`. */
export function parseUnitState(text: string): UnitState {
  const field = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(text)?.[1] ?? "";
  const said = field("ActiveState");
  return {
    load: field("LoadState"),
    active: active_words.find((word) => word === said) ?? "other",
    pid: Number(field("MainPID")) || 0,
    job: !["", "0"].includes(field("Job")),
    result: field("Result"),
  };
}

/** What the unit's file starts, be it etcd itself or what runs a container; undefined where there is no such unit. */
export async function programOf(unit: string, deadline_ms: number): Promise<string | undefined> {
  const { stdout } = await run(["systemctl", "show", unit, "--property=ExecStart"], { deadline_ms });
  return /^ExecStart=\{ path=(\S+) ;/m.exec(stdout)?.[1];
}

/** The file that the unit is read from, without its drop-ins; undefined where there is none. */
export async function fragmentOf(unit: string, deadline_ms: number): Promise<string | undefined> {
  const { stdout } = await run(["systemctl", "show", unit, "--property=FragmentPath"], { deadline_ms });
  return /^FragmentPath=(.+)$/m.exec(stdout)?.[1];
}

/** Puts the job into systemd's queue and returns: how it goes is seen by the unit's state. */
export async function enqueue(job: "start" | "stop", unit: string, deadline_ms: number): Promise<void> {
  await run(["systemctl", "--no-block", job, unit], { deadline_ms });
}

/** Ends every process of the unit, now. A unit that has none is no error. */
export async function killUnit(unit: string, deadline_ms: number): Promise<void> {
  await run(["systemctl", "kill", "--signal=SIGKILL", unit], { deadline_ms, accept: "any" });
}

/** The machine's own orderly reboot, as if typed there. Returns when it has begun. */
export async function rebootHere(deadline_ms: number): Promise<void> {
  await run(["systemctl", "--no-block", "reboot"], { deadline_ms });
}

/**
 * The processes of a unit, also those that systemd no longer waits for: one that a disk holds survives SIGKILL, and the unit is told as
 * failed all the same.
 */
export const unitProcesses = async (unit: string): Promise<readonly number[]> =>
  (await processesIn((cgroup) => isOfUnit(cgroup, unit))).map(({ pid }) => pid);

/** Of /proc/PID/cgroup: `0::/system.slice/NAME`, or one such line per controller. */
export const isOfUnit = (cgroup: string, unit: string): boolean =>
  cgroup.split("\n").some((line) => line.endsWith(`/${unit}`) || line.includes(`/${unit}/`));
