/**
 * Every time-out, count and delay that duet gives to Corosync, Pacemaker and etcd, each with its reason. Nothing of the kind
 * is written anywhere else; a change here is a change of behaviour at every site, and is reviewed as one.
 */
export interface Choice<T> {
  readonly value: T;
  readonly why: string;
}

const choose = <T>(value: T, why: string): Choice<T> => ({ value, why });

export const corosyncPolicy = {
  /** The token itself is the site's `timeouts.token`; default and bounds are in src/site/defaults.ts. */
  consensus_of_token: choose(
    1 / 3,
    "a lost peer is seen after token + consensus; with exactly two nodes a consensus below the token is safe (corosync.conf(5)), and the default of 1.2 tokens would more than double the wait",
  ),
  consensus_ms_min: choose(300, "must stay above the join time-out of 50 ms with room for a busy processor"),
  knet_ping_interval_ms: choose(250, "a dead link is left within a second, before the token is lost for it"),
  knet_ping_timeout_ms: choose(750, "three pings missed: one lost packet is no dead link"),
  link_mode: choose(
    "active",
    "every message goes over both links, so a pulled cable loses none; passive must first notice, and on a busy machine that took longer than the token",
  ),
  crypto_cipher: choose(
    "aes256",
    "membership messages decide who is powered off: they are secret and signed",
  ),
  crypto_hash: choose("sha256", "the same"),
  two_node: choose("yes", "one of two machines keeps quorum when the other is lost; fencing decides which"),
  wait_for_all: choose(
    "yes",
    "a machine that boots alone is inert: otherwise it would fence its peer, in turns, for ever",
  ),
} as const;

export const pacemakerPolicy = {
  "stonith-enabled": choose("true", "a lost machine is proven off before anything is taken over"),
  "stonith-action": choose(
    "off",
    "done when Off is confirmed: `reboot` waits for power on, so a peer that can't power on would block the survivor",
  ),
  "stonith-max-attempts": choose("INFINITY", "the default gives up after 10 tries and then stays silent"),
  "startup-fencing": choose("true", "a peer never seen since boot is unknown, not absent"),
  "concurrent-fencing": choose("true", "one stuck device must not hold up another"),
  "no-quorum-policy": choose("stop", "without quorum nothing runs: inert"),
  "dc-deadtime": choose(
    "4s",
    "how long a lone starter looks for others; the default of 20 s is most of a boot",
  ),
  "cluster-recheck-interval": choose(
    "60s",
    "failure time-outs and time rules are looked at this often when nothing happens",
  ),
  "start-failure-is-fatal": choose(
    "false",
    "a start that failed is tried again where it is, as often as migration-threshold says; the default gives the machine up at once",
  ),
  "symmetric-cluster": choose("true", "both machines may run everything"),
} as const;

/** For every resource that does not say otherwise. */
export const resourcePolicy = {
  "failure-timeout": choose(
    "120s",
    "a failure is forgotten by itself: without it a resource waits for an administrator",
  ),
  "migration-threshold": choose("5", "try in place first; five failures within the time-out are no hiccup"),
  "resource-stickiness": choose("1", "nothing moves without a reason"),
} as const;

export const fencePolicy = {
  /** One fence from command to confirmed Off is the site's `timeouts.fence`, until it is measured. */
  measured_room: choose(1.5, "a BMC that was measured once is slower on another day"),
  apart_s_min: choose(
    2,
    "the two see a loss up to its whole detection apart (token and consensus, 2 s by default), and a busy machine sends its command late",
  ),
  fence_s_min: choose(
    5,
    "half a turn, in which a machine may begin: from the loss to the command 3 s passed on a machine with ten times the load that it can bear",
  ),
  margin_s: choose(15, "what an agent needs around that: to start, to log in, to read the state"),
  off_retries: choose(2, "a BMC that lost one request is asked again before Pacemaker starts over"),
  monitor_interval_s: choose(
    60,
    "a BMC that does not answer is known within a minute, not when it is needed",
  ),
  monitor_timeout_s: choose(20, "a hung BMC is a failed monitor, not a stuck one"),
  turns_waited: choose(
    5,
    "fence_duet: at the worst a whole round of the race passes, and then what comes before its own turn",
  ),
  goodbye_s: choose(60, "fence_duet: so long is a peer that left in order given to go off by itself"),
  status_sleep_s: choose(1, "how often Off is asked for after the command"),
} as const;

export const alertPolicy = {
  timeout_s: choose(
    10,
    "the agent writes one small file; what it overruns by is a machine that stands still",
  ),
} as const;

/**
 * Of ocf:duet:etcd. Only stop takes long: the leave, and etcd's own end. The others note and wake, in a fraction of a second; but
 * whatever of them overruns Pacemaker answers with a stop, and a busy machine would lose a healthy etcd for that. They are given
 * so long that only a machine on which nothing runs any more overruns it. What a monitor *says* is acted on all the same, so its
 * `on-fail` stays as it is. A stop waits for none of them: Pacemaker ends a monitor that still runs then. The two monitors must
 * differ in their intervals.
 */
const busy_s = 120;
export const etcdStop_s = 90;
export const etcdOperations: readonly {
  readonly name: string;
  readonly timeout_s: number;
  readonly interval_s?: number;
  readonly role?: "Promoted" | "Unpromoted";
  readonly why: string;
}[] = [
  { name: "start", timeout_s: busy_s, why: "it only notes and wakes; a machine that boots is slow" },
  {
    name: "stop",
    timeout_s: etcdStop_s,
    why: "25 s for the leave and 6 s for its last step, 5 s for etcd, and the calls around them at their slowest; what overruns is fenced",
  },
  { name: "promote", timeout_s: busy_s, why: "as start" },
  { name: "demote", timeout_s: busy_s, why: "as start" },
  { name: "notify", timeout_s: 10, why: "one file; one that overruns is only lost" },
  {
    name: "monitor",
    timeout_s: busy_s,
    interval_s: 10,
    role: "Promoted",
    why: "events wake duet: this is for what sends none, and for words that were lost",
  },
  { name: "monitor", timeout_s: busy_s, interval_s: 11, role: "Unpromoted", why: "the same" },
];

/** Shares of processor and disk where pods want all of them; src/render/weight.ts says beside whom they count. */
export const weightPolicy = {
  etcd: choose(
    1000,
    "pods together have 79 to 174 with two cores and 2500 to 3000 with 64, by the runtime's formula; etcd takes little, and what it takes late is an election",
  ),
  failover: choose(
    500,
    "Pacemaker with its agents, and duet's own steps: idle until a machine is lost, and then everybody waits for them",
  ),
} as const;

/** Of the promotable clone that it is. */
export const etcdClonePolicy = {
  promotable: choose("true", "promoted: etcd runs"),
  "promoted-max": choose("2", "a voter on each machine"),
  "promoted-node-max": choose("1", "the same"),
  "clone-max": choose("2", "two machines"),
  "clone-node-max": choose("1", "the same"),
  interleave: choose("true", "what depends on it waits for the instance beside it, never for the peer's"),
  notify: choose("true", "a peer that was stopped or fenced is news"),
} as const;

/**
 * Of CRI-O and the kubelet, which systemd runs. One that fails is restarted; one whose starts fail is left down and shown until
 * the failures have aged (`failure-timeout`), and is then tried again. What a failed stop means is the site's `fencing.stop_failure`.
 */
export const serviceOperations: readonly {
  readonly name: string;
  readonly timeout_s: number;
  readonly interval_s?: number;
  readonly why: string;
}[] = [
  { name: "start", timeout_s: 100, why: "systemd gives up a start after 90 s, and says why" },
  { name: "stop", timeout_s: 100, why: "systemd kills after 90 s what does not end" },
  {
    name: "monitor",
    timeout_s: 20,
    interval_s: 10,
    why: "systemd is asked, not the service; its own Restart= is quicker where there is one",
  },
];

export const serviceClonePolicy = {
  "clone-max": choose("2", "two machines"),
  "clone-node-max": choose("1", "the same"),
  interleave: choose("true", "what depends on it waits for the instance beside it, never for the peer's"),
} as const;

/** Of the kernel, on a machine with Kubernetes, by the names of its settings. */
export const kernelPolicy = {
  "fs.inotify.max_user_instances": choose(
    1024,
    "root has 128 by default. Kubernetes takes dozens, and each of up to 110 pods may take some: then systemd gets none for the files by which duet is woken, and gives them up",
  ),
} as const;

/** Of the leases by which controller manager and scheduler work on one machine at a time (src/render/kubernetes/pods.ts). */
export const electionPolicy = {
  renew_s: choose(
    30,
    "longer than a failover: with Kubernetes' 10 s the controllers of the survivor end in it, and wait for their own old lease afterwards",
  ),
  lease_s: choose(
    35,
    "so long the other one waits where nobody frees the lease; five seconds more than the above, as in Kubernetes",
  ),
} as const;

/**
 * How the pods of a machine that goes by plan are ended (ocf:duet:pods). Each of them gets the grace that it asks for itself, as far as
 * there is time.
 */
export const podsPolicy = {
  all_s: choose(
    30,
    "Kubernetes' own grace of a pod that asks for none; this machine's etcd leaves after it, and a person waits",
  ),
  api_s: choose(
    15,
    "the API server goes last, and is told at the latest then, whatever the others do: half of the time is its own",
  ),
  marked_s: choose(
    5,
    "so long at most the API is told beside it that they are not ready; a machine's copy of DNS takes as long to end, so the API server hardly waits for that",
  ),
  killed_s: choose(2, "so long is waited for what was killed; what a disk holds does not end at all"),
  hung_s: choose(60, "twice what it may take: the agent itself hangs, and is ended"),
  gate_s: choose(
    60,
    "so long systemd leaves them to Pacemaker at a shutdown, the kubelet's stop included; CRI-O's stop may wait for it, and is given longer",
  ),
} as const;
/** No monitor: it has nothing that could fail, and a failure would be answered by its stop, which ends every pod. */
export const podsOperations: readonly {
  readonly name: string;
  readonly timeout_s: number;
  readonly onFail?: string;
  readonly why: string;
}[] = [
  { name: "start", timeout_s: 20, why: "it makes one file" },
  {
    name: "stop",
    timeout_s: 90,
    onFail: "ignore",
    why: "longer than `hung_s`. What could not be ended must neither keep a machine up nor have it fenced: the shutdown itself ends it",
  },
];

/**
 * Of the API's virtual IP. Nothing is tied to it and it is tied to nothing, so that what fails in it fails in it alone. What a failed
 * stop means is the site's `fencing.stop_failure`: an address that may still be here must not be brought up there.
 */
export const addressPolicy = {
  "resource-stickiness": choose(
    "50",
    "less than what an API server that answers counts, so that it moves to one; more than nothing, so that it stays where both answer, or neither does",
  ),
} as const;
/** What an API server counts for its machine, by how it stands (src/agents/api/readiness.ts). */
export const addressScores = {
  ready: choose(100, "moves the address from whoever does not answer, and from nobody who does"),
  probation: choose(
    60,
    "comes and goes, and is back: with the stickiness more than one that is ready, so that it keeps the address; alone more than the stickiness, so that it takes it from one that is lost, and from nobody else",
  ),
  doubtful: choose(
    20,
    "does not answer, and its connections still live: with the stickiness more than one on probation, less than one that is ready",
  ),
  lost: choose(0, "has ended, or did not move for a while: whoever answers is better"),
} as const;
export const addressOperations: readonly {
  readonly name: string;
  readonly timeout_s: number;
  readonly interval_s?: number;
  readonly why: string;
}[] = [
  {
    name: "start",
    timeout_s: 20,
    why: "it takes a few milliseconds; on a machine that hangs for so long something else is wrong",
  },
  { name: "stop", timeout_s: 20, why: "the same" },
  {
    name: "monitor",
    timeout_s: 20,
    interval_s: 10,
    why: "for an address that somebody took away by hand; whether the API server answers is watched elsewhere",
  },
];

/**
 * Settings of etcd by the names of its environment, the same on both machines. Where 3.6 has another name both are here.
 * Not among them: the corruption check at start (`--experimental-initial-corrupt-check`, from 3.6 on a feature gate). It asks
 * the members of the newest snapshot, so of a young log nobody; and a peer that is off holds up every start by 2 s (measured:
 * a survivor's forced start took 3.8 s with it and 0.2 s without).
 */
export const etcdPolicy = {
  HEARTBEAT_INTERVAL: choose("100", "etcd's own: the machines stand side by side"),
  ELECTION_TIMEOUT: choose(
    "1000",
    "etcd's own. At 1+1 a shorter one is paid at each slow sync; a survivor that becomes a cluster of one waits for none, it is told to elect itself at once",
  ),
  SNAPSHOT_COUNT: choose(
    "10000",
    "the default of 3.6; that of 3.5 is ten times as much to replay at each start and to read when the log is judged, and a log without a snapshot is slower to force",
  ),
  QUOTA_BACKEND_BYTES: choose(
    "8589934592",
    "8 GiB, the most that etcd advises; its default of 2 GiB was reached by clusters that only had many objects",
  ),
  EXPERIMENTAL_PEER_SKIP_CLIENT_SAN_VERIFICATION: choose(
    "true",
    "a member that connects from an address which is not in its certificate (a virtual IP, a second IPv6 address) would be refused, and with it every write; that it is a member its name and authority show. The name of 3.5, which 3.6 takes too; with both its names 3.6 does not start",
  ),
  TLS_MIN_VERSION: choose("TLS1.2", "etcd's own, said here because it is a promise"),
  LOG_LEVEL: choose("info", "what happened at a failover is read from this later"),
} as const;
