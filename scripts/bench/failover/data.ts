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

/** So much data more, written at the leader. */
export async function fill({ lab, etcds, seat }: Store, data_mb: number): Promise<void> {
  const leader = (await etcds.leader()) ?? "node1";
  const [address = ""] = machineOf(lab, leader).machine.addresses;
  const url = `https://${address}:${etcdPorts.client}`;
  const program = [process.execPath, join(import.meta.dirname, "fill.ts")];
  await runIn(lab, seatName, [...program, seat.folder, url, String(data_mb)], { deadline_ms: fill_ms_max });
}
