import { paths } from "../../base/paths.ts";
import { DuetError } from "../../base/problem.ts";
import type { Facts } from "../../decide/facts.ts";
import { type Membership, membership } from "../../machine/corosync.ts";
import { clusterState, forgetFailures } from "../../machine/pacemaker.ts";
import type { Progress } from "../../machine/progress.ts";
import { loadSite } from "../../machine/site-file.ts";
import { isServing } from "../admin/desk.ts";
import { loadHands } from "../etcd/machine.ts";
import { isWhole } from "../proof/harmless.ts";
import { machineKeeper } from "./machine.ts";
import { rotate, type Rotated, type Wanted } from "./rotate.ts";

const membership_ms = 3_000;

/** On one of the two machines, whichever. */
export async function rotateHere(
  me: string,
  wanted: Wanted,
  who: string,
  progress: Progress,
): Promise<Rotated> {
  const { effects, recorder } = await loadHands();
  recorder.admin(who, `credentials rotate ${wanted.machine}${wanted.change ? " --change" : ""}`, "");
  const doors: Doors = {
    membership: () => membership(membership_ms),
    cluster: clusterState,
    facts: () => effects.facts(),
  };
  const rotated = await rotate(
    {
      ...machineKeeper(await loadSite(paths.site), me),
      peer: () => peerState(me, doors),
      isWhole: () => isWhole(effects),
      step: progress.step.bind(progress),
    },
    wanted,
  );
  // Where the old ones were refused for a while, Pacemaker would wait before it tries the device again.
  if ((await clusterState()) !== undefined) await forgetFailures(`fence-${wanted.machine}`);
  return rotated;
}

/** Replaced by tests. */
export interface Doors {
  readonly membership: () => Promise<Pick<Membership, "members" | "quorate">>;
  readonly cluster: typeof clusterState;
  readonly facts: () => Promise<Facts>;
}

/**
 * By Corosync's word, by Pacemaker's, which waits for a fence as long as it calls a machine unclean, and by duet's own: a fence that somebody
 * confirmed by hand looks like any other to Pacemaker. It is off where that was read in this membership; and who serves as the only voter has
 * proven it, or was left by plan.
 */
export async function peerState(
  me: string,
  { membership: members, cluster, facts }: Doors,
): Promise<"there" | "off" | "unknown"> {
  try {
    const now = await members();
    if (now.members.length > 1) return "there";
    const peer = (await cluster())?.nodes.find(({ name }) => name !== me);
    if (!now.quorate || peer === undefined || peer.online || peer.unclean) return "unknown";
    const own = await facts();
    return own.proof === "off" || isServing(own) ? "off" : "unknown";
  } catch (error) {
    if (error instanceof DuetError) return "unknown";
    throw error;
  }
}
