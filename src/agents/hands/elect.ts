import { done, failed, type Outcome } from "../../act/effects.ts";
import type { Identity } from "../../facts/identity.ts";
import { varint } from "../../facts/wire.ts";
import { sleep } from "../../machine/clock.ts";
import type { Endpoint } from "../../machine/etcd/client.ts";
import { https } from "../../machine/https.ts";
import { timer } from "./outcome.ts";

/** It has to apply the removal of the others first, and says so to nobody: it is told again, less and less often. */
const again_ms_min = 20;
const again_ms_max = 200;
const call_ms = 500;

export interface Electing {
  /** Tells etcd to begin, and does not know whether it was heard. */
  readonly tell: (deadline_ms: number) => Promise<void>;
  /** It knows a leader: there is nothing to begin any more. */
  readonly led: (deadline_ms: number) => Promise<boolean>;
  /** A linearizable read came back. */
  readonly serves: (deadline_ms: number) => Promise<boolean>;
}

export async function elect({ tell, led, serves }: Electing, deadline_ms: number): Promise<Outcome> {
  const left_ms = timer(deadline_ms);
  const over = new AbortController();
  const leads = untilSo(led, left_ms).finally(() => over.abort());
  for (let pause_ms = again_ms_min; !over.signal.aborted; pause_ms = Math.min(2 * pause_ms, again_ms_max)) {
    await tell(Math.min(call_ms, left_ms()));
    await Promise.race([leads, sleep(pause_ms)]);
  }
  if (!(await leads)) return failed("deadline", "etcd was told to elect itself, and has no leader yet");
  if (await untilSo(serves, left_ms)) return done;
  return failed("deadline", "etcd was told to elect itself, has a leader, and serves nobody yet");
}

async function untilSo(
  isSo: (deadline_ms: number) => Promise<boolean>,
  left_ms: () => number,
): Promise<boolean> {
  while (left_ms() > again_ms_min) {
    if (await isSo(left_ms())) return true;
    await sleep(again_ms_min);
  }
  return false;
}

/** What raft's library calls MsgTimeoutNow: a leader that hands over sends it. */
const timeout_now = 14;

/**
 * From the member to itself, and of no term: so it is taken whatever the term is, raises none, and speaks for nobody else. In the
 * order of raft's `Message`: type, to, from.
 */
export const electionNow = ({ memberId }: Pick<Identity, "memberId">): Uint8Array =>
  Uint8Array.from([0x08, timeout_now, 0x10, ...varint(memberId), 0x18, ...varint(memberId)]);

/** The least that every etcd 3 lets in: the message is as old as that. */
const version = "3.0.0";

/**
 * `at`: the members' port, where etcd takes one message of raft's by POST, from who has a member's certificate. What is told comes to
 * nothing where the port is busy or gone: whether etcd serves is what counts.
 */
export function electionTeller({ url, tls }: Endpoint, identity: Identity): Electing["tell"] {
  return async (deadline_ms) => {
    const told = https({
      url: new URL("/raft", url),
      method: "POST",
      headers: {
        "content-type": "application/protobuf",
        "x-etcd-cluster-id": identity.clusterId.toString(16),
        "x-server-version": version,
        "x-min-cluster-version": version,
      },
      body: electionNow(identity),
      tls: { ...tls, minVersion: "TLSv1.2" },
      deadline_ms,
    });
    await told.catch(() => undefined);
  };
}
