import { addressScore } from "../../render/policy.ts";

export interface Saying {
  /** Undefined: nobody knows yet. */
  readonly ready: boolean | undefined;
  /** What Pacemaker has of this machine now; undefined: nothing. */
  readonly said: string | undefined;
  /** The peer is a member; undefined: Corosync does not tell. */
  readonly peerHere: boolean | undefined;
}

const score = (ready: boolean): string => (ready ? String(addressScore.value) : "0");

/**
 * What Pacemaker is to be told for the virtual IP; undefined: nothing. That the API server does not answer is only told where there
 * is another machine: alone there is nothing to choose, and each word makes Pacemaker begin its plan anew, in the middle of a fence.
 */
export function toSay({ ready, said, peerHere }: Saying): string | undefined {
  if (ready === undefined || said === score(ready)) return undefined;
  return ready || peerHere === true ? score(ready) : undefined;
}
