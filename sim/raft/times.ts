/** etcd's times, its defaults unless said otherwise, and the model's own sizes. */
export interface EtcdTimes {
  readonly tick_us: number;
  readonly election_ticks: number;
  /** From start to an open port: reading the WAL, opening the database. */
  readonly start_us: number;
  readonly apply_us: number;
  readonly apply_entry_us: number;
  /** In a million apply batches: how many take a hundred times as long. */
  readonly apply_slow_ppm: number;
  /** The backend commits this often. */
  readonly backend_us: number;
  /** A request that is not answered by then gets an error, and may still happen. */
  readonly request_us: number;
  readonly read_retry_us: number;
  /** A removed member stops itself this long after it applied its removal. */
  readonly removed_stop_us: number;
  /** Peers count as connected if heard of within this. */
  readonly connection_us: number;
  /** ... and as healthy if connected for at least this. */
  readonly health_us: number;
  readonly snapshot_entries: number;
  readonly catch_up_entries: number;
  /** Before 3.5.25 and 3.6.6 a learner in the snapshot outlives --force-new-cluster. */
  readonly ghost_learner: boolean;
}

export const etcdTimes: EtcdTimes = {
  tick_us: 100_000,
  election_ticks: 10,
  start_us: 300_000,
  apply_us: 60,
  apply_entry_us: 12,
  apply_slow_ppm: 3_000,
  backend_us: 100_000,
  request_us: 7_000_000,
  read_retry_us: 500_000,
  removed_stop_us: 1_000_000,
  connection_us: 5_000_000,
  health_us: 5_000_000,
  snapshot_entries: 150,
  catch_up_entries: 40,
  ghost_learner: true,
};

/** The same election time-outs with half the heartbeats: for mass runs, where idle ticks are most of the events. */
export const leanTimes: Partial<EtcdTimes> = { tick_us: 333_000, election_ticks: 3 };
