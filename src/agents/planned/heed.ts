import { join } from "node:path";
import { paths } from "../../base/paths.ts";
import { isFullVoter } from "../../decide/lineage.ts";
import type { Facts } from "../../decide/facts.ts";
import { sleep } from "../../machine/clock.ts";
import { membership } from "../../machine/corosync.ts";
import { readIfThere, replaceSynced } from "../../machine/files.ts";
import { rebootHere } from "../../machine/systemd.ts";
import { failureOf } from "../hands/outcome.ts";
import { type Seat, takePass } from "./pass.ts";
import { encodeWish, type Said, say_ms, type Wish, wishOf } from "./wish.ts";

const call_ms = 2_000;
/** Five times as long as who asks is silent at the most, unless he is held up. */
const looks_max = 10;

/** Replaced by tests. */
export interface Doors {
  readonly wish: (peer: string) => Promise<Said | undefined>;
  readonly pause: () => Promise<void>;
  /** The one that nobody repeated, and which is not waited for again; it is forgotten with the boot. */
  readonly left: { readonly read: () => Promise<string | undefined>; note: (text: string) => Promise<void> };
  /** This machine's own, for as long as a leave takes. Throws DuetError where another goes. */
  readonly pass: (wish: Wish) => Promise<void>;
  readonly reboot: () => Promise<void>;
  readonly say: (line: string) => void;
}

export function doorsHere(seat: Seat, say: (line: string) => void): Doors {
  const file = join(paths.run, "wish-left");
  return {
    wish: async (peer) => await wishOf(peer, (await membership(call_ms)).ring, call_ms),
    pause: () => sleep(say_ms / 2),
    left: { read: () => readIfThere(file), note: (text) => replaceSynced(file, text, 0o600) },
    pass: async ({ machine, force }) =>
      await (await takePass(seat, { words: `reboot ${machine}`, machine, force })).hold(),
    reboot: () => rebootHere(call_ms),
    say,
  };
}

/**
 * Does what a person asked for on the peer, if he still asks and it is still right: between the look there and the one here the
 * peer may have stopped to be what can serve alone. True: this machine goes down.
 */
export async function heedWish({ me, peerName, peer }: Facts, doors: Doors): Promise<boolean> {
  if (peer.seen !== "now") return false;
  const wish = await stillAsked(me, peerName, doors);
  if (wish === undefined) return false;
  const serves = peer.serving && !peer.leaving && peer.facts !== undefined && isFullVoter(peer.facts);
  if (!serves && !wish.force) {
    doors.say(
      `a reboot of ${me} was asked for on ${peerName}, which could not serve alone now: it is not done`,
    );
    return false;
  }
  try {
    await doors.pass(wish);
  } catch (error) {
    doors.say(
      `a reboot of ${me} was asked for on ${peerName}, and is not done: ${failureOf(error).failure.said}`,
    );
    return false;
  }
  doors.say(`a reboot of ${me} was asked for on ${peerName}: it is done now`);
  await doors.reboot();
  return true;
}

/** Two readings that differ: who asks was there between them. What he says last counts. */
async function stillAsked(me: string, peer: string, doors: Doors): Promise<Wish | undefined> {
  const first = await doors.wish(peer);
  if (first?.machine !== me) return undefined;
  const text = encodeWish(first, "");
  if ((await doors.left.read()) === text) return undefined;
  for (let looks = 0; looks < looks_max; looks++) {
    await doors.pause();
    const now = await doors.wish(peer);
    if (now?.machine !== me) return undefined;
    if (now.count !== first.count) return now;
  }
  await doors.left.note(text);
  doors.say(`a reboot of ${me} was asked for on ${peer} by a command that is gone: it is not done`);
  return undefined;
}
