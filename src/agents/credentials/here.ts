import { paths } from "../../base/paths.ts";
import { DuetError } from "../../base/problem.ts";
import { membership } from "../../machine/corosync.ts";
import { clusterState, forgetFailures } from "../../machine/pacemaker.ts";
import type { Progress } from "../../machine/progress.ts";
import { loadSite } from "../../machine/site-file.ts";
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
  const rotated = await rotate(
    {
      ...machineKeeper(await loadSite(paths.site), me),
      peer: () => peerState(me),
      isWhole: () => isWhole(effects),
      step: progress.step.bind(progress),
    },
    wanted,
  );
  // Where the old ones were refused for a while, Pacemaker would wait before it tries the device again.
  if ((await clusterState()) !== undefined) await forgetFailures(`fence-${wanted.machine}`);
  return rotated;
}

/** By Corosync's word, and by Pacemaker's, which waits for a fence as long as it calls a machine unclean. */
async function peerState(me: string): Promise<"there" | "off" | "unknown"> {
  try {
    const { members, quorate } = await membership(membership_ms);
    if (members.length > 1) return "there";
    const state = await clusterState();
    const peer = state?.nodes.find(({ name }) => name !== me);
    return quorate && peer !== undefined && !peer.online && !peer.unclean ? "off" : "unknown";
  } catch (error) {
    if (error instanceof DuetError) return "unknown";
    throw error;
  }
}
