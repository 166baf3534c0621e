/** Where duet keeps what on a machine. Written once, so that the files of a machine and its agents can't disagree. */
export const paths = {
  /** This machine's name. */
  machine: "/etc/duet/machine",
  site: "/etc/duet/site.yaml",
  /** etcd's certificates and keys. */
  tls: "/etc/duet/tls",
  /** The environment of etcd's unit, written by setup. */
  etcdEnvironment: "/etc/duet/etcd.env",
  /** etcd's --data-dir. */
  etcdData: "/var/lib/duet/etcd",
  /** Duet's own file beside it: lineage, full, takeover, turn. */
  state: "/var/lib/duet/state",
  /** Written to see whether the disk takes writes; it stays where a write of it did not end. */
  stateProbe: "/var/lib/duet/state.probe",
  /** Data that was moved aside, and logs from before a takeover. */
  kept: "/var/lib/duet/kept",
  /** The flight recorder. */
  record: "/var/lib/duet/record",
  /** Written by setup where this machine has never held data; gone with its first data. */
  firstStart: "/var/lib/duet/first-start",
  /**
   * Written with this machine's first data, and not beside it: a disk of its own that is not mounted yet looks like that of a machine which
   * has never held any.
   */
  begun: "/etc/duet/begun",
  /** Written by setup when it has come to its end; and why its last run did not. */
  setupDone: "/var/lib/duet/setup-done",
  setupFailed: "/var/lib/duet/setup-failed",
  /** What setup's test of the BMCs' tags showed; without it no machine starts alone by itself. */
  witness: "/var/lib/duet/witness",
  /** Which tags were seen in the BMCs since then, and which of the BMCs has lost one. */
  witnessSeen: "/var/lib/duet/witness-seen",
  /** What both machines' site files say of the witness, as they have told each other. */
  witnessSaid: "/var/lib/duet/witness-said",
  /** While a BMC's tag is tested: what stood there before. */
  tagTest: "/var/lib/duet/tag-test",
  /** What stood in the BMCs' asset tags before duet's first one; put back by `duet uninstall`. */
  assetTags: "/var/lib/duet/asset-tags",
  /** An uninstall that has begun: it is gone on with. And what the last one left behind for people. */
  uninstall: "/var/lib/duet/uninstall",
  uninstalled: "/var/lib/duet/uninstalled",
  startEtcd: "/var/lib/duet/start-etcd.sh",
  /** What the last test of fencing the peer has shown. */
  fenceProof: "/var/lib/duet/fence-proof",
  /** Which credentials of a BMC this machine holds, by the time of their change; nothing secret. */
  rotations: "/var/lib/duet/rotations",
  /** What is to be told to people and is not told yet, and how the last try went. Only there where the site tells anybody. */
  alerts: "/var/lib/duet/alerts",
  /** Where Pacemaker's alert agent, which is not root, leaves what it was called for. */
  alertDrop: "/run/duet-alerts",
  /** The same for duet's own parts, who are root. */
  alertRaised: "/run/duet-raised",
  /** Headers, addresses and authorities of webhooks. */
  alertFiles: "/etc/duet/alerts",
  /** What must not outlive a boot: what the peer said, the proof of Off, the force flag. */
  run: "/run/duet",
} as const;

export const etcdUnit = "duet-etcd.service";
/** The one-shot that does what takes long; it is started by the file `wake` in `paths.run`. */
export const workUnit = "duet-work.service";
/** Looks at a machine on which Pacemaker has started nothing. */
export const guardUnit = "duet-guard.service";
/** Watches this machine's API server, for the virtual IP and for the peer's taint. */
export const apiUnit = "duet-api.service";
/** The virtual IP, as Pacemaker names it; and the attribute by which a machine says whether its API server answers. */
export const apiResource = "duet-api";
export const apiAttribute = "duet-api";
/** What ends the pods of a machine that goes, as Pacemaker names it. */
export const podsResource = "duet-pods";
/** The promotable resource, as Pacemaker names it. */
export const etcdResource = "etcd";
export const etcdPorts = { client: 2379, peer: 2380 } as const;
/** On the loopback address, for an etcd that no client may find. */
export const closedPort = 2378;
