import { paths } from "../base/paths.ts";
import type { Secret } from "../base/secret.ts";
import type { Alert, Site } from "../site/site.ts";
import type { IgnitionUnit, MachineFile } from "./ignition.ts";
import { alertPolicy } from "./policy.ts";

/** Of duet's alert in Pacemaker's configuration; others there are somebody else's. */
export const alertId = "duet-alerts";
const agent = "/usr/local/bin/duet-alert";
const waiting_max = 200;

/** What a machine's own copies of the files are called that the alerts of a site refer to. */
const hookFile = (index: number, what: "url" | "headers" | "crt"): string =>
  `${paths.alertFiles}/${index + 1}.${what}`;

/** The same alerts, with their references pointing to the machine's own files. */
export const machineAlerts = (alerts: readonly Alert[]): readonly Alert[] =>
  alerts.map((alert, index) =>
    alert.by === "webhook"
      ? {
          ...alert,
          url: typeof alert.url === "string" ? alert.url : { file: hookFile(index, "url") },
          ...(alert.headers === undefined ? {} : { headers: hookFile(index, "headers") }),
          trust: alert.trust.by === "ca" ? { by: "ca", file: hookFile(index, "crt") } : alert.trust,
        }
      : alert,
  );

/** What the files of a site's alerts hold, by the paths that its file names. */
export interface AlertMaterials {
  readonly secrets: ReadonlyMap<string, Secret>;
  readonly authorities: ReadonlyMap<string, string>;
}

/**
 * Run by Pacemaker as hacluster, who may read none of duet's files: it leaves what it was called for where root finds it. No more
 * than a shell, because it is called in the middle of a failover, for every operation of every resource.
 */
const agentText = `#!/bin/sh
case "$CRM_alert_kind" in
  node | fencing) ;;
  resource) [ "$CRM_alert_rc" != "$CRM_alert_target_rc" ] || exit 0 ;;
  *) exit 0 ;;
esac
umask 077
cd ${paths.alertDrop} || exit 0
set -- *.event
[ $# -lt ${waiting_max} ] || exit 0
name=$(printf '%012d' "$CRM_alert_node_sequence")-$$
printf '%s=%s\\n' \\
  kind "$CRM_alert_kind" node "$CRM_alert_node" task "$CRM_alert_task" rsc "$CRM_alert_rsc" \\
  rc "$CRM_alert_rc" target_rc "$CRM_alert_target_rc" interval "$CRM_alert_interval" \\
  timestamp_epoch "$CRM_alert_timestamp_epoch" timestamp_usec "$CRM_alert_timestamp_usec" \\
  desc "$CRM_alert_desc" > ".$name"
mv ".$name" "$name.event"
`;

export function alertFiles(site: Site, materials: AlertMaterials): readonly MachineFile[] {
  if (site.alerts.length === 0) return [];
  const secret = (path: string, from: string | undefined): readonly MachineFile[] =>
    from === undefined ? [] : [{ path, mode: 0o600, content: materials.secrets.get(from)?.reveal() ?? "" }];
  return [
    { path: agent, mode: 0o755, content: agentText },
    { path: "/etc/tmpfiles.d/duet-alerts.conf", mode: 0o644, content: folders },
    ...site.alerts.flatMap((alert, index): readonly MachineFile[] => {
      if (alert.by !== "webhook") return [];
      const { url, headers, trust } = alert;
      return [
        ...secret(hookFile(index, "url"), typeof url === "string" ? undefined : url.file),
        ...secret(hookFile(index, "headers"), headers),
        ...(trust.by === "ca"
          ? [
              {
                path: hookFile(index, "crt"),
                mode: 0o644,
                content: materials.authorities.get(trust.file) ?? "",
              },
            ]
          : []),
      ];
    }),
  ];
}

/** Made by systemd at each boot. The drop is Pacemaker's user's to write. */
const folders = `d ${paths.alertDrop} 0770 root haclient -
d ${paths.alertRaised} 0700 root root -
d /var/lib/duet 0755 root root -
d ${paths.alerts} 0700 root root -
d ${paths.alerts}/queue 0700 root root -
`;

export const alertUnits = (site: Pick<Site, "alerts">): readonly IgnitionUnit[] =>
  site.alerts.length === 0 ? [] : units;

const units: readonly IgnitionUnit[] = [
  {
    name: "duet-alerts.path",
    enabled: true,
    contents: `[Unit]
Description=duet: there is something to tell

[Path]
PathExistsGlob=${paths.alertDrop}/*.event
PathExistsGlob=${paths.alertRaised}/*.json

[Install]
WantedBy=multi-user.target
`,
  },
  {
    name: "duet-alerts.service",
    // Also at boot, for what could not be delivered before it.
    enabled: true,
    contents: `[Unit]
Description=duet: tell people what happened
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=/usr/local/bin/duet alerts
Restart=on-failure
RestartSec=10s
# A takeover may be under way: it comes first.
Nice=10
CPUWeight=20
# What is not delivered is on disk.
TimeoutStopSec=2s

[Install]
WantedBy=multi-user.target
`,
  },
];

/** Pacemaker's part: which events the agent is called for, and how long it may take. */
export function alertsElement(site: Pick<Site, "alerts">): string | undefined {
  if (site.alerts.length === 0) return undefined;
  return [
    "  <alerts>",
    `    <alert id="${alertId}" path="${agent}">`,
    `      <meta_attributes id="${alertId}-meta">`,
    `        <nvpair id="${alertId}-timeout" name="timeout" value="${alertPolicy.timeout_s.value}s"/>`,
    "      </meta_attributes>",
    "      <select>",
    "        <select_nodes/>",
    "        <select_fencing/>",
    "        <select_resources/>",
    "      </select>",
    "    </alert>",
    "  </alerts>",
  ].join("\n");
}
