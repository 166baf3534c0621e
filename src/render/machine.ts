import { paths } from "../base/paths.ts";
import type { Secret } from "../base/secret.ts";
import type { Credentials, Machine, Site } from "../site/site.ts";
import { agentFiles, agentUnits } from "./agent.ts";
import { alertFiles, type AlertMaterials, alertUnits } from "./alerts.ts";
import { apiUnits } from "./api-address.ts";
import { cibConfiguration } from "./cib.ts";
import { corosyncConf } from "./corosync.ts";
import { etcdEnvironment, etcdUnits, tlsFile } from "./etcd.ts";
import { passwordScript } from "./fence-device.ts";
import { fenceAgentFile } from "./fence-duet.ts";
import { fenceTestUnits } from "./fence-test.ts";
import { kubernetesFiles, type KubernetesMaterials, kubernetesUnits } from "./kubernetes/files.ts";
import { linkFiles, linkUnits } from "./links.ts";
import { type Ignition, type IgnitionUnit, ignition, type MachineFile } from "./ignition.ts";
import { ahead } from "./weight.ts";
import {
  authorities,
  authorityFile,
  credentialsFile,
  machineSite,
  pduCredentialsFile,
} from "./machine-site.ts";

/** What rendering needs besides the site: read or made by the caller, since this folder does no I/O. */
export interface Materials {
  /** Both machines' BMC credentials, by machine: each may have to fence the other. */
  readonly credentials: ReadonlyMap<string, Credentials>;
  /** Both machines' PDU credentials, where there are PDUs: by machine, in the order of its outlets. */
  readonly pduCredentials: ReadonlyMap<string, readonly Credentials[]>;
  /** Lines for root's authorized_keys. */
  readonly sshKeys: readonly string[];
  /** Certificates that BMCs are trusted by, by the path that the site file names. */
  readonly authorities: ReadonlyMap<string, string>;
  /** What the site's alerts refer to. */
  readonly alerts: AlertMaterials;
  /** Corosync's shared key, 256 random bytes, the same on both machines. */
  readonly corosyncKey: Uint8Array;
  /** Signs etcd's certificates, in PEM form; the same on both machines. */
  readonly etcdAuthority: { readonly certificate: string; readonly key: Secret };
  /** The keys that both machines' control planes share; there where the site has `kubernetes:`. */
  readonly kubernetes?: KubernetesMaterials;
}

/** Everything that makes a bare machine one of this site's, as Ignition applies it before the first boot. */
export function machineIgnition(site: Site, machine: Machine, materials: Materials): Ignition {
  return ignition(machineFiles(site, machine, materials), machineUnits(site, machine));
}

export const machineUnits = (site: Site, machine: Machine): readonly IgnitionUnit[] => [
  ...units,
  ...etcdUnits,
  ...agentUnits,
  ...fenceTestUnits,
  ...alertUnits(site),
  ...apiUnits(site),
  ...linkUnits(site, machine),
  ...kubernetesUnits(site, machine),
];

/** The one list of them: `duet uninstall` takes off what is here. */
export function machineFiles(site: Site, machine: Machine, materials: Materials): readonly MachineFile[] {
  const usernames = new Map([...materials.credentials].map(([name, c]) => [name, c.username]));
  const cib = cibConfiguration(site, usernames);
  return [
    { ...text("/etc/hostname", `${machine.name}\n`), stays: "the machine keeps its name" },
    { ...text("/etc/hosts", hosts(site)), stays: "the names in it are still right" },
    text("/etc/duet/machine", `${machine.name}\n`),
    text("/etc/duet/site.yaml", machineSite(site)),
    text("/etc/duet/cib.xml", cib.xml),
    text("/etc/corosync/corosync.conf", corosyncConf(site)),
    { path: "/etc/corosync/authkey", mode: 0o400, content: materials.corosyncKey },
    {
      ...secret("/root/.ssh/authorized_keys", `${materials.sshKeys.join("\n")}\n`),
      stays: "you would be locked out",
    },
    {
      ...text(
        "/etc/ssh/sshd_config.d/10-duet.conf",
        "PasswordAuthentication no\nPermitRootLogin prohibit-password\n",
      ),
      stays: "without it the machine may let in passwords",
    },
    text(paths.etcdEnvironment, etcdEnvironment(site, machine)),
    text(tlsFile("ca", "crt"), materials.etcdAuthority.certificate),
    secret(tlsFile("ca", "key"), materials.etcdAuthority.key.reveal()),
    ...agentFiles,
    fenceAgentFile,
    ...alertFiles(site, materials.alerts),
    ...linkFiles(site, machine),
    ...kubernetesFiles(site, machine, materials.kubernetes, materials.etcdAuthority.certificate),
    ...authorities(site).map((file, i) => text(authorityFile(i), materials.authorities.get(file) ?? "")),
    ...site.machines.flatMap((m) => bmcFiles(m, materials)),
  ];
}

const text = (path: string, content: string): MachineFile => ({ path, mode: 0o644, content });
const secret = (path: string, content: string): MachineFile => ({ path, mode: 0o600, content });

function hosts(site: Site): string {
  const lines = site.machines.map((m) => `${m.addresses[0] ?? ""} ${m.name}`);
  return ["127.0.0.1 localhost", "::1 localhost", ...lines, ""].join("\n");
}

function bmcFiles(m: Machine, materials: Materials): readonly MachineFile[] {
  const own = materials.credentials.get(m.name);
  const pdus = materials.pduCredentials.get(m.name) ?? [];
  return [
    ...(own === undefined ? [] : [secret(credentialsFile(m), credentialsLine(own))]),
    ...pdus.map((pdu, index) => secret(pduCredentialsFile(m, index), credentialsLine(pdu))),
    // What the stock fence agent runs to get the password: it is in no argument, no environment and not in the CIB.
    { path: passwordScript(m), mode: 0o700, content: `#!/bin/sh\nexec cut -d: -f2- ${credentialsFile(m)}\n` },
  ];
}

const credentialsLine = (c: Credentials): string => `${c.username}:${c.password.reveal()}\n`;

const units: readonly IgnitionUnit[] = [
  {
    name: "duet-setup.service",
    enabled: true,
    contents: `[Unit]
Description=duet: make this machine one of its site
ConditionPathExists=!/var/lib/duet/setup-done
Wants=network-online.target
After=network-online.target dbus.service
# A disk for the data that is late would look like a machine that has never held any.
RequiresMountsFor=/var/lib/duet

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/bin/duet setup
# Waits for its peer for as long as it takes: each try has its own deadlines and says what it waits for.
TimeoutStartSec=infinity
# Whoever stands before a machine that does not come up reads there why.
StandardError=journal+console
Restart=on-failure
RestartSec=5s

[Install]
WantedBy=multi-user.target
`,
  },
  {
    name: "corosync.service",
    dropins: [
      {
        name: "10-duet.conf",
        contents: `[Unit]
StartLimitIntervalSec=0

[Service]
# Corosync reads its addresses once: it must not start before the network has them.
ExecStartPre=/usr/local/bin/duet wait-links
Restart=on-failure
RestartSec=2s
`,
      },
    ],
  },
  // Corosync has a real-time priority by itself, which comes before every weight.
  {
    name: "pacemaker.service",
    dropins: [{ name: "10-duet.conf", contents: `[Service]\n${ahead("failover")}` }],
  },
];
