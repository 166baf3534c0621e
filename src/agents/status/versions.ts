import { minorOf } from "../../base/version.ts";
import { valueOf } from "./report.ts";
import type { Status } from "./status.ts";

/** While not all of it is the same: an upgrade that is not at its end, or a program that was replaced and not started yet. */
export function versionsText({ machines }: Pick<Status, "machines">): string | undefined {
  const each = machines.flatMap(({ name, etcd }) => {
    const seen = valueOf(etcd);
    return seen === undefined || seen.version === null ? [] : [{ name, ...seen, version: seen.version }];
  });
  const agreed = each.map(({ cluster }) => minorOf(cluster ?? "")).find((minor) => minor !== undefined);
  const waiting = each.filter(
    ({ role, version, installed }) => role !== "down" && installed !== null && installed !== version,
  );
  const minors = new Set([
    ...each.map(({ version }) => minorOf(version)),
    agreed ?? minorOf(each[0]?.version ?? ""),
  ]);
  if (minors.size <= 1 && waiting.length === 0) return undefined;
  return [
    ...each.map(({ name, role, version }) => `${name} ${role === "down" ? "has" : "runs"} ${version}`),
    ...(agreed === undefined ? [] : [`the cluster works by ${agreed}`]),
    ...waiting.map(({ name, installed }) => `the next start on ${name} runs ${installed}`),
    "docs/upgrade-etcd.md",
  ].join("; ");
}
