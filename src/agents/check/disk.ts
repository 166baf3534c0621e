import type { Finding } from "./finding.ts";
import type { DiskReport } from "./probe.ts";

/** etcd's guidance for its log: 99 of 100 syncs within 10 ms. Ten times that costs elections. */
export const disk_warn_ms = 10;
export const disk_fail_ms = 100;

export function judgeDisk(subject: string, disk: DiskReport): Finding {
  const check = "disk sync";
  const detail = `p50 ${disk.p50_ms.toFixed(1)} ms, p99 ${disk.p99_ms.toFixed(1)} ms, max ${disk.max_ms.toFixed(1)} ms (${disk.writes} writes in ${disk.folder})`;
  if (disk.p99_ms <= disk_warn_ms) return { subject, check, mark: "ok", detail };
  return {
    subject,
    check,
    mark: disk.p99_ms > disk_fail_ms ? "fail" : "warn",
    detail,
    fix: "etcd wants a p99 of 10 ms or less: use an SSD with power-loss protection, and nothing else busy on it",
  };
}
