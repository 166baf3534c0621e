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
  /** Data that was moved aside, and logs from before a takeover. */
  kept: "/var/lib/duet/kept",
  /** The flight recorder. */
  record: "/var/lib/duet/record",
  /** Written by setup where this machine has never held data; gone with its first data. */
  firstStart: "/var/lib/duet/first-start",
  /** Written by setup when it has come to its end; and why its last run did not. */
  setupDone: "/var/lib/duet/setup-done",
  setupFailed: "/var/lib/duet/setup-failed",
  /** What must not outlive a boot: what the peer said, the proof of Off, the force flag. */
  run: "/run/duet",
} as const;

export const etcdUnit = "duet-etcd.service";
/** The one-shot that does what takes long; it is started by the file `wake` in `paths.run`. */
export const workUnit = "duet-work.service";
/** The promotable resource, as Pacemaker names it. */
export const etcdResource = "etcd";
export const etcdPorts = { client: 2379, peer: 2380 } as const;
