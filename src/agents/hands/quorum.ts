import { done, failed, type Loss, type Outcome, type QuorumEffects, success } from "../../act/effects.ts";
import { rememberOff } from "../../act/picture.ts";
import { now_ms, sinceBoot_ms, sleep } from "../../machine/clock.ts";
import * as corosync from "../../machine/corosync.ts";
import { noteRing, sinceLoss_ms } from "./loss.ts";
import type { Memory, MemoryFile } from "./memory.ts";
import { failureOf } from "./outcome.ts";

export interface Cluster {
  /** The peer's number in Corosync's node list. */
  readonly peerId: number;
  readonly memory: MemoryFile;
  /** Replaced by tests. */
  readonly corosync?: Corosync;
}
export type Corosync = Pick<
  typeof corosync,
  "membership" | "formedAt_ms" | "standstills" | "detection" | "waitsForAll" | "cancelWaitForAll"
>;

const call_ms = 3_000;
const again_ms = 50;

export interface Seen extends corosync.Membership {
  readonly peer: boolean;
}

/** The membership of now. Throws DuetError where Corosync does not tell. */
export async function membershipNow(cluster: Cluster, deadline_ms: number = call_ms): Promise<Seen> {
  const now = await doorOf(cluster).membership(deadline_ms);
  return { ...now, peer: now.members.includes(cluster.peerId) };
}

/** Nobody who can be told from one that is lost counts as here. */
export async function isPeerHere(cluster: Cluster): Promise<boolean> {
  try {
    return (await membershipNow(cluster)).peer;
  } catch (error) {
    failureOf(error);
    return false;
  }
}

const doorOf = ({ corosync: door = corosync }: Cluster): Corosync => door;

/** The change of memory that one look at the membership makes. */
export const noteMembership =
  (seen: Seen, at_ms: number, ahead_ms = Date.now() - sinceBoot_ms()) =>
  (was: Memory): Memory => {
    const ring = noteRing(was.ring, seen, at_ms, ahead_ms);
    const { remembered } = was;
    const known = remembered.seen || !seen.peer;
    if (ring === was.ring && known) return was;
    return { ...was, ring, remembered: known ? remembered : { ...remembered, seen: true } };
  };

export function quorumEffects(cluster: Cluster): QuorumEffects {
  const { memory } = cluster;
  return {
    loss: () => attempt(() => loss(cluster)),
    noteOff: (ring, wentOff) =>
      attempt(async () => {
        const seen = await membershipNow(cluster);
        if (seen.peer || seen.ring !== ring) return failed("changed", "Off was read for another membership");
        await memory.change(noteProof(seen, wentOff, sinceBoot_ms()));
        return done;
      }),
    noteDoubt: (ring) =>
      attempt(async () => {
        const seen = await membershipNow(cluster);
        if (seen.ring !== ring) return failed("changed", "what is doubted was shown in another membership");
        await memory.change((was) =>
          was.remembered.doubtedIn === ring
            ? was
            : { ...was, remembered: { ...was.remembered, doubtedIn: ring } },
        );
        return done;
      }),
    grant: (deadline_ms) => attempt(() => grant(doorOf(cluster), deadline_ms)),
    status: () => attempt(async () => success((await membershipNow(cluster)).quorate)),
  };
}

/** Of a peer that came and spoke before this was noted, the boot says nothing: it may be the one after the Off. */
const noteProof =
  (seen: Seen, wentOff: boolean, at_ms: number) =>
  (was: Memory): Memory => {
    const noted = noteMembership(seen, at_ms)(was);
    const off = rememberOff(noted.remembered, seen.ring, wentOff);
    const late = noted.ring?.ring !== seen.ring;
    return { ...noted, remembered: late ? { ...off, offBoot: undefined } : off };
  };

const attempt = <T>(ask: () => Promise<Outcome<T>>): Promise<Outcome<T>> => ask().catch(failureOf);

async function loss(cluster: Cluster): Promise<Outcome<Loss | undefined>> {
  const door = doorOf(cluster);
  const seen = await membershipNow(cluster);
  const looked_ms = sinceBoot_ms();
  const { ring: note, remembered } = await cluster.memory.change(noteMembership(seen, looked_ms));
  if (seen.peer) return success(undefined);
  const [formed_ms, standstills, detection] = await Promise.all([
    door.formedAt_ms(seen),
    door.standstills(call_ms),
    door.detection(call_ms),
  ]);
  // Somebody else has seen a newer one already.
  if (note?.ring !== seen.ring) return failed("changed", "the membership is changing");
  const times = { clock_ms: Date.now(), now_ms: sinceBoot_ms() };
  const since_ms = sinceLoss_ms({ note, formed_ms, standstills, detection, ...times });
  return success({
    ring: seen.ring,
    since_ms,
    wentOff: remembered.wentOff && remembered.provenIn === seen.ring,
    proven: remembered.provenIn === seen.ring,
    doubted: remembered.doubtedIn === seen.ring,
  });
}

/** The wish can be taken and not done: done is what Corosync says afterwards. */
async function grant(door: Corosync, deadline_ms: number): Promise<Outcome> {
  const end_ms = now_ms() + deadline_ms;
  const left_ms = () => Math.max(1, Math.round(end_ms - now_ms()));
  if ((await door.waitsForAll(left_ms())) === false) return done;
  await door.cancelWaitForAll(left_ms());
  for (;;) {
    if ((await door.waitsForAll(left_ms())) === false) return done;
    if (now_ms() >= end_ms)
      return failed("deadline", "Corosync took the wish for quorum, and still waits for all");
    await sleep(again_ms);
  }
}
