/**
 * Every time-out, count and delay that duet gives to Corosync and Pacemaker, each with its reason. Nothing of the kind
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
  race_delay_s: choose(
    10,
    "when both live and see each other lost, the fence of the preferred machine starts this much later: longer than a fence by an ordinary BMC (about 6 s on one HPE model). A slower one can let both go off: dark, but nothing lost. Setup will measure it",
  ),
  /** One fence from command to confirmed Off is the site's `timeouts.fence`. */
  margin_s: choose(15, "what an agent needs around that: to start, to log in, to read the state"),
  off_retries: choose(2, "a BMC that lost one request is asked again before Pacemaker starts over"),
  monitor_interval_s: choose(
    60,
    "a BMC that does not answer is known within a minute, not when it is needed",
  ),
  monitor_timeout_s: choose(20, "a hung BMC is a failed monitor, not a stuck one"),
  status_sleep_s: choose(1, "how often Off is asked for after the command"),
} as const;
