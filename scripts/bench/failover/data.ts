import { join } from "node:path";
import type { Seat } from "../../../lab/clients/seat.ts";
import { type Lab, machineOf } from "../../../lab/folder.ts";
import { runIn, seatName } from "../../../lab/run.ts";
import type { Etcds } from "../../../lab/scenario-etcds.ts";
import { etcdPorts } from "../../../src/base/paths.ts";

const fill_ms_max = 30 * 60_000;

export interface Store {
  readonly lab: Lab;
  readonly etcds: Etcds;
  readonly seat: Seat;
}

/** So much data more, written at the leader, in values of 10 kB. */
export const fill = (store: Store, data_mb: number): Promise<void> => write(store, data_mb, 10_000);

const small_bytes = 100;
/** etcd has made a snapshot of its log, and let go of what is older. */
export const age_writes = 20_000;

/**
 * As many small writes as a site sees in its first hours. A log that has no snapshot yet is forced about a second slower, since the
 * survivor waits for an election: what a new site has once is not what is measured.
 */
export const age = (store: Store): Promise<void> =>
  write(store, (age_writes * small_bytes) / 1e6, small_bytes);

async function write({ lab, etcds, seat }: Store, data_mb: number, value_bytes: number): Promise<void> {
  const leader = (await etcds.leader()) ?? "node1";
  const [address = ""] = machineOf(lab, leader).machine.addresses;
  const url = `https://${address}:${etcdPorts.client}`;
  const program = [process.execPath, join(import.meta.dirname, "fill.ts")];
  await runIn(lab, seatName, [...program, seat.folder, url, String(data_mb), String(value_bytes)], {
    deadline_ms: fill_ms_max,
  });
}
