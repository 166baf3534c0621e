import { compareVersions, minorOf } from "../../base/version.ts";
import { ready_for_36 } from "../../decide/versions.ts";
import type { Finding } from "./finding.ts";
import type { ProbeReport } from "./probe.ts";

type Versions = ProbeReport["etcd"];

const check = "etcd";
const page = "docs/upgrade-etcd.md";

/** Which etcd a machine has: the one that runs now, and the one that its next start would run, which may be another. */
export function judgeEtcd(subject: string, etcd: Versions): readonly Finding[] {
  if (etcd === undefined) return [];
  const { installed, running, cluster } = etcd;
  const agreed = minorOf(cluster ?? "");
  const now = [
    ...(running === null ? [] : [`${running} runs`]),
    ...(agreed === undefined ? [] : [`its cluster works by ${agreed}`]),
  ];
  if (installed === null)
    return [
      {
        subject,
        check,
        mark: "note",
        detail: [
          "which etcd its unit starts can't be told (a container, a script)",
          ...now,
          "an older one than its data would end by itself, but only after it has written to it",
        ].join("; "),
      },
    ];
  const detail = [`${installed} is installed`, ...now].join("; ");
  if (agreed !== undefined && (compareVersions(minorOf(installed) ?? "", agreed) ?? 0) < 0)
    return [
      {
        subject,
        check,
        mark: "fail",
        detail: `${detail}: its next start would be refused`,
        fix: `install etcd ${agreed} or later (${page})`,
        code: "R-OLD-ETCD",
      },
    ];
  if (running !== null && running !== installed)
    return [
      {
        subject,
        check,
        mark: "warn",
        detail: `${detail}: a crash or a takeover would start what is installed, at a moment that nobody chose`,
        fix: `start it by plan: \`duet standby ${subject}\`, then \`duet unstandby ${subject}\` (${page})`,
      },
    ];
  const early = (compareVersions(installed, ready_for_36) ?? 0) < 0;
  return [
    {
      subject,
      check,
      mark: "ok",
      detail: early ? `${detail}; before 3.6 comes ${ready_for_36} or later, on both` : detail,
    },
  ];
}

/** Two that differ are an upgrade under way; in that state nobody should stay for long. */
export function judgeEtcds(
  machines: readonly { readonly name: string; readonly etcd: Versions }[],
): readonly Finding[] {
  const known = machines.flatMap(({ name, etcd }) => {
    const version = etcd?.running ?? etcd?.installed ?? undefined;
    return version === undefined ? [] : [{ name, version }];
  });
  const minors = new Set(known.map(({ version }) => minorOf(version)));
  if (minors.size <= 1) return [];
  return [
    {
      subject: "site",
      check,
      mark: "warn",
      detail: `${known.map(({ name, version }) => `${name}: ${version}`).join(", ")}: if the one with the newer etcd takes over, the other is not let in again before it has the newer one too`,
      fix: `bring the upgrade to its end, or back (${page})`,
    },
  ];
}
