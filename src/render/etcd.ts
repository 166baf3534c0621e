import { isIPv6 } from "node:net";
import { etcdPorts, paths } from "../base/paths.ts";
import type { Machine, Site } from "../site/site.ts";
import type { IgnitionUnit } from "./ignition.ts";
import { ahead } from "./weight.ts";
import { etcdPolicy as policy } from "./policy.ts";

/** Whose certificates these are; each is `NAME.crt` and `NAME.key` below `paths.tls`. */
export type Certificate = "ca" | "server" | "peer" | "client";
export const tlsFile = (name: Certificate, what: "crt" | "key"): string => `${paths.tls}/${name}.${what}`;

/** Members let in nobody but holders of this name: a client's certificate of the same authority opens no peer's port. */
export const peerCommonName = "duet-etcd-peer";

/** How this one start is to be, written by the agent right before it and removed after it. */
export const startFile = `${paths.run}/etcd-start.env`;
/** There while a start must force a new cluster; in /run, so that no reboot keeps it. */
export const forceFile = `${paths.run}/etcd-force.env`;
/** There while nobody may start etcd; its text says why. */
export const maskFile = "/var/lib/duet/etcd-masked";

const url = (address: string, port: number): string =>
  `https://${isIPv6(address) ? `[${address}]` : address}:${port}`;

/** A machine's etcd, by every link: with one of two links dead the members still find each other. */
export const clientUrls = (m: Machine): readonly string[] =>
  m.addresses.map((address) => url(address, etcdPorts.client));
export const peerUrls = (m: Machine): readonly string[] =>
  m.addresses.map((address) => url(address, etcdPorts.peer));

/** Where a machine asks its own etcd, whatever its links do. */
export const localUrl = (site: Site, port: number): string =>
  url(wildcard(site) === "::" ? "::1" : "127.0.0.1", port);

/** To listen on: an address is gone while its link is unplugged, and etcd ends where it can't bind one. */
const wildcard = (site: Site): "::" | "0.0.0.0" =>
  site.machines.some((m) => m.addresses.some(isIPv6)) ? "::" : "0.0.0.0";

export interface NamedMember {
  readonly name: string;
  readonly peerUrls: readonly string[];
}

/** `node1=https://…,node1=https://…`: a member with two addresses stands there twice. */
export const initialCluster = (members: readonly NamedMember[]): string =>
  members.flatMap((m) => m.peerUrls.map((each) => `${m.name}=${each}`)).join(",");

/**
 * paths.etcdEnvironment. By themselves these settings never begin a cluster: with no data, `existing` asks the members of the
 * initial cluster, and this machine is the only one named. What a start may do beyond that is in `startFile` and `forceFile`.
 */
export function etcdEnvironment(site: Site, m: Machine): string {
  return environment("Written by duet; `duet render` makes it from the site file.", {
    NAME: m.name,
    DATA_DIR: paths.etcdData,
    LISTEN_CLIENT_URLS: url(wildcard(site), etcdPorts.client),
    LISTEN_PEER_URLS: url(wildcard(site), etcdPorts.peer),
    ADVERTISE_CLIENT_URLS: clientUrls(m).join(","),
    INITIAL_ADVERTISE_PEER_URLS: peerUrls(m).join(","),
    INITIAL_CLUSTER: initialCluster([{ name: m.name, peerUrls: peerUrls(m) }]),
    INITIAL_CLUSTER_STATE: "existing",
    CLIENT_CERT_AUTH: "true",
    TRUSTED_CA_FILE: tlsFile("ca", "crt"),
    CERT_FILE: tlsFile("server", "crt"),
    KEY_FILE: tlsFile("server", "key"),
    PEER_CLIENT_CERT_AUTH: "true",
    PEER_TRUSTED_CA_FILE: tlsFile("ca", "crt"),
    PEER_CERT_FILE: tlsFile("peer", "crt"),
    PEER_KEY_FILE: tlsFile("peer", "key"),
    PEER_CERT_ALLOWED_CN: peerCommonName,
    ...Object.fromEntries(Object.entries(policy).map(([name, choice]) => [name, choice.value])),
  });
}

/** `first`: a new cluster of this machine alone. The token keeps it apart from every cluster that the site had before. */
export const firstStart = (self: NamedMember, token: string): string =>
  environment("A new cluster.", {
    INITIAL_CLUSTER: initialCluster([self]),
    INITIAL_CLUSTER_STATE: "new",
    INITIAL_CLUSTER_TOKEN: token,
  });

/** `join`: members and addresses as the serving peer lists them; etcd compares them with the peer's one by one. */
export const joinStart = (self: NamedMember, members: readonly NamedMember[]): string =>
  environment("Joins the peer's cluster.", {
    INITIAL_ADVERTISE_PEER_URLS: self.peerUrls.join(","),
    INITIAL_CLUSTER: initialCluster(members),
    INITIAL_CLUSTER_STATE: "existing",
  });

/** `closed`: nobody is served. Only who knows this address, on this machine, gets an answer. */
export const closedStart = (closedUrl: string): string =>
  environment("With the data that is there, and no client.", { LISTEN_CLIENT_URLS: closedUrl });

export const plainStart = environment("With the data that is there.", {});
export const forceStart = environment("A cluster of one, with the data that is there.", {
  FORCE_NEW_CLUSTER: "true",
});

/** etcd reads each of its settings from `ETCD_…`; one that it does not know, of a later or an earlier version, it passes over. */
function environment(comment: string, settings: Readonly<Record<string, string>>): string {
  const lines = Object.entries(settings).map(([name, value]) => `ETCD_${name}=${value}`);
  return [`# ${comment}`, ...lines, ""].join("\n");
}

/**
 * etcd as the distribution's program. Root, with nothing of root's power: every file that duet's or an admin's tools make in
 * the data folder can be opened in a failover, a container runs with the same files, and no OS needs a user for it. What root
 * could do beyond that is taken away below: no capability, nothing to write but the data, no sight of other secrets.
 */
const service = `[Unit]
Description=duet: etcd
# Only duet's agent starts it, and says how each time. Nothing wants this unit at boot.
AssertPathExists=${startFile}
# A machine that has given up its data, or is to stay down; the file says why.
AssertPathExists=!${maskFile}
After=network.target
# One that crashed is looked after now, and not when the next monitor comes.
OnFailure=duet-wake.service
# At shutdown the agent stops it, after a leave that needs it: systemd must neither be first nor wait for the agent's own end.
DefaultDependencies=no
# How often it is tried again is decided by rules, not counted here.
StartLimitIntervalSec=0

[Service]
# Ready when it has joined its cluster, which may need the peer: the agent does not wait for that, and nothing ends it for that.
Type=notify
TimeoutStartSec=infinity
EnvironmentFile=${paths.etcdEnvironment}
EnvironmentFile=${startFile}
EnvironmentFile=-${forceFile}
ExecStart=/usr/bin/etcd
# The agent restarts it in place, or does not: that is decided anew after each end.
Restart=no
# An etcd without a leader ignores SIGTERM, and a takeover waits for its end. Killing costs nothing: what it acknowledged is synced.
TimeoutStopSec=1s
KillMode=mixed
# The last to go when memory is short; -1000 would let a leak take everything else first and never end.
OOMScoreAdjust=-999
# A watch is a stream, and an API server has hundreds: not the 1024 that a service gets.
LimitNOFILE=65536
# A late heartbeat or sync is an election.
IOSchedulingClass=best-effort
IOSchedulingPriority=0
${ahead("etcd")}
StateDirectory=duet/etcd
StateDirectoryMode=0700
UMask=0077
CapabilityBoundingSet=
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectControlGroups=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
InaccessiblePaths=-/etc/duet/bmc -/etc/corosync -/etc/ssh -/var/lib/pacemaker -${tlsFile("ca", "key")}
`;

export const etcdUnits: readonly IgnitionUnit[] = [
  { name: "duet-etcd.service", contents: service },
  // The distribution's own would take the ports, with a cluster of its own.
  { name: "etcd.service", mask: true },
  {
    name: "duet-certificates.service",
    contents: `[Unit]
Description=duet: renew etcd's certificates
ConditionPathExists=/var/lib/duet/setup-done

[Service]
Type=oneshot
ExecStart=/usr/local/bin/duet certificates
`,
  },
  {
    name: "duet-certificates.timer",
    enabled: true,
    contents: `[Unit]
Description=duet: renew etcd's certificates years before they end

[Timer]
OnCalendar=weekly
RandomizedDelaySec=1d
Persistent=yes

[Install]
WantedBy=timers.target
`,
  },
];
