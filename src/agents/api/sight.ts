import { paths } from "../../base/paths.ts";
import { DuetError } from "../../base/problem.ts";
import { readState } from "../../facts/state.ts";
import { membership } from "../../machine/corosync.ts";
import type { MemoryFile } from "../hands/memory.ts";
import type { Sight } from "./keep-taints.ts";

const call_ms = 2_000;

export interface SightPlace {
  readonly memory: Pick<MemoryFile, "read">;
  /** In Corosync's list. */
  readonly peerId: number;
  /** Replaced by tests. */
  readonly membership?: typeof membership;
  readonly state?: string;
}

/**
 * What this machine knows for the taints. The proof of Off is what duet itself noted for its takeover: it names the membership that it is for.
 * It is read first, so that a membership that changes in the meantime makes it void, and never the other way round.
 */
export async function sightHere({ memory, peerId, ...given }: SightPlace): Promise<Sight> {
  const { provenIn } = memory.read().remembered;
  const self = await orUndefined(() => readState(given.state ?? paths.state));
  const now = await orUndefined(() => (given.membership ?? membership)(call_ms));
  const peerHere = now?.members.includes(peerId);
  const offProven = peerHere === false && provenIn !== undefined && provenIn === now?.ring;
  return { ring: now?.ring, self, peerHere, offProven };
}

/** Of what may happen: Corosync or Pacemaker is not up, or duet's file can't be read. */
export async function orUndefined<T>(ask: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof DuetError)) throw error;
    return undefined;
  }
}
