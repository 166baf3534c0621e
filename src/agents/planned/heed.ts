import { isFullVoter } from "../../decide/lineage.ts";
import type { Facts } from "../../decide/facts.ts";
import { membership } from "../../machine/corosync.ts";
import { rebootHere } from "../../machine/systemd.ts";
import { type Wish, wishOf } from "./wish.ts";

const call_ms = 2_000;

/** Replaced by tests. */
export interface Doors {
  readonly wish: (peer: string) => Promise<Wish | undefined>;
  readonly reboot: () => Promise<void>;
  readonly say: (line: string) => void;
}

export const doorsHere = (say: (line: string) => void): Doors => ({
  wish: async (peer) => await wishOf(peer, (await membership(call_ms)).ring, call_ms),
  reboot: () => rebootHere(call_ms),
  say,
});

/**
 * Does what a person asked for on the peer, if it is still right: between the look there and the one here the peer may have
 * stopped to be what can serve alone. True: this machine goes down.
 */
export async function heedWish({ me, peerName, peer }: Facts, doors: Doors): Promise<boolean> {
  if (peer.seen !== "now") return false;
  const wish = await doors.wish(peerName);
  if (wish?.machine !== me) return false;
  const serves = peer.serving && !peer.leaving && peer.facts !== undefined && isFullVoter(peer.facts);
  if (!serves && !wish.force) {
    doors.say(
      `a reboot of ${me} was asked for on ${peerName}, which could not serve alone now: it is not done`,
    );
    return false;
  }
  doors.say(`a reboot of ${me} was asked for on ${peerName}: it is done now`);
  await doors.reboot();
  return true;
}
