import { readFileSync } from "node:fs";
import manifest from "../../package.json" with { type: "json" };
import type { Stamp } from "./entry.ts";

/** Gives each entry its stamp. */
export type Clock = () => Stamp;

/** Of this machine, for one process. */
export function machineClock(machine: string, by: string): Clock {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  const fixed = { boot, machine, duet: manifest.version, by, pid: process.pid };
  // hrtime is CLOCK_MONOTONIC itself: the same for every process, unlike performance.now().
  return () => ({
    at: new Date().toISOString(),
    mono_ms: Number(process.hrtime.bigint() / 1000n) / 1000,
    ...fixed,
  });
}
