import { addressScores } from "../../render/policy.ts";
import type { Standing } from "./readiness.ts";

export interface Saying {
  /** Undefined: nobody knows yet. */
  readonly standing: Standing | undefined;
  /** What Pacemaker has of this machine now; undefined: nothing. */
  readonly said: string | undefined;
  /** The peer is a member; undefined: Corosync does not tell. */
  readonly peerHere: boolean | undefined;
}

/**
 * What Pacemaker is to be told for the virtual IP; undefined: nothing. All but that the API server is ready is only told where there
 * is another machine: alone there is nothing to choose, and each word makes Pacemaker begin its plan anew, in the middle of a fence.
 */
export function toSay({ standing, said, peerHere }: Saying): string | undefined {
  if (standing === undefined) return undefined;
  const score = String(addressScores[standing].value);
  if (said === score) return undefined;
  return standing === "ready" || peerHere === true ? score : undefined;
}
