import { randomUUID } from "node:crypto";
import type { Effects } from "../../act/effects.ts";
import { until } from "../../machine/clock.ts";
import { deleteKey, put, range } from "../../machine/etcd/client.ts";
import type { Reach } from "../hands/reach.ts";

const attribute_ms = 5_000;
const call_ms = 5_000;

/** Which of the two is a full voter with a turn in the race. */
export async function wholeness({
  disk,
  attributes,
}: Pick<Effects, "disk" | "attributes">): Promise<{ readonly mine: boolean; readonly theirs: boolean }> {
  const own = await disk.readState();
  const peer = await attributes.readPeer(attribute_ms);
  return {
    mine: own.ok && own.value.full && own.value.turn !== undefined,
    theirs: peer.ok && peer.value?.holding.full === true && peer.value.turn !== undefined,
  };
}

/** Two full voters, each with a turn in the race: from here on either may be lost. */
export async function whole(
  effects: Pick<Effects, "disk" | "attributes">,
  say: (detail: string) => void,
  deadline_ms: number,
): Promise<void> {
  await until(
    "both machines full voters of one etcd",
    async () => {
      const { mine, theirs } = await wholeness(effects);
      say(mine ? (theirs ? "both are full" : "the peer is not full yet") : "this machine is not full yet");
      return mine && theirs;
    },
    { deadline_ms, every_ms: 500 },
  );
}

/** What is written through one machine is read through the other, by a read that both have to answer; and the other way round. */
export async function writeThroughBoth(
  reach: Pick<Reach, "own" | "peer">,
  me: string,
  say: (detail: string) => void,
): Promise<void> {
  const key = `duet/setup/${me}`;
  const crosses = async (write: "own" | "peer", read: "own" | "peer"): Promise<string | undefined> => {
    const value = randomUUID();
    const written = await put(await reach[write](), key, value, call_ms);
    if (!written.ok) return `${write}: ${written.failure.said}`;
    const seen = await range(await reach[read](), { key, read: "linearizable" }, call_ms);
    if (!seen.ok) return `${read}: ${seen.failure.said}`;
    return seen.value.some((each) => each.value === value) ? undefined : `${read} does not show it`;
  };
  await until(
    "a write through each machine's etcd that the other one shows",
    async () => {
      const wrong = (await crosses("own", "peer")) ?? (await crosses("peer", "own"));
      say(wrong ?? "");
      return wrong === undefined;
    },
    { deadline_ms: 60_000, every_ms: 500 },
  );
  await deleteKey(await reach.own(), key, call_ms);
}
