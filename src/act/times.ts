/** How long each kind of effect may take. A site's settings replace some of them. */
export interface Times {
  readonly disk_ms: number;
  /** To write the whole database anew. */
  readonly bump_ms: number;
  readonly etcd_start_ms: number;
  readonly etcd_stop_ms: number;
  readonly etcd_call_ms: number;
  /** etcd's own clock begins the election of who votes alone within two election time-outs of a second each. */
  readonly elect_ms: number;
  readonly attribute_ms: number;
  /** One effect at a BMC, which is a few calls where the BMC is slow; and one call, as long as a silent one keeps an effect. */
  readonly bmc_ms: number;
  readonly bmc_call_ms: number;
  /** A tag read, written and read back, by a BMC that is slow; and by the second, once one has taken it. */
  readonly tag_ms: number;
  readonly second_tag_ms: number;
  /** One turn of the race to fence: the window in which this machine may command Off, and then a fence at its slowest. */
  readonly turn_ms: number;
  /** So long is a peer that left in order given to go off, or to come back, before it is switched off. */
  readonly goodbye_ms: number;
  /** Between two tries of something that sends no event. */
  readonly again_ms: number;
  /** So often is such a thing tried before the machine of steps ends, to be decided anew. */
  readonly tries_max: number;
  /** So often does a learner that lives ask for its promotion: gigabytes over a slow wire take most of an hour. */
  readonly promotion_tries_max: number;
}

export const times_default: Times = {
  disk_ms: 60_000,
  bump_ms: 10 * 60_000,
  etcd_start_ms: 30_000,
  etcd_stop_ms: 20_000,
  etcd_call_ms: 5_000,
  elect_ms: 2_000,
  attribute_ms: 5_000,
  bmc_ms: 10_000,
  bmc_call_ms: 10_000,
  tag_ms: 30_000,
  second_tag_ms: 1_000,
  turn_ms: 10_000,
  goodbye_ms: 60_000,
  again_ms: 500,
  tries_max: 60,
  promotion_tries_max: 600,
};
