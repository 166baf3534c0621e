import type { Effects } from "../../act/effects.ts";
import { etcdUnit } from "../../base/paths.ts";
import { DuetError, fail, type Problem } from "../../base/problem.ts";
import { isFullVoter } from "../../decide/lineage.ts";
import { until } from "../../machine/clock.ts";
import { run } from "../../machine/process.ts";
import { unitState } from "../../machine/systemd.ts";
import { loadHands } from "../etcd/machine.ts";
import { writeMark } from "./mark.ts";
import { dropPlan, type Plan } from "./plan.ts";

const clusterUnits = ["pacemaker.service", "corosync.service"] as const;
const call_ms = 10_000;
const etcd_ms = 3_000;
/** Longer than the stops of the kubelet, of pods and of etcd may take, one after the other (src/render/policy.ts). */
const leave_ms = 300_000;
const stop_ms = 240_000;

export const isUp = async (unit: string): Promise<boolean> => {
  const { active } = await unitState(unit, call_ms);
  return active !== "inactive" && active !== "failed";
};

/** Why the peer would not go on well without this machine. */
export interface Unfit {
  readonly why: string;
  /** It is a member of the cluster now, in whatever state. */
  readonly here: boolean;
}

/** Undefined where the peer would go on well. */
export async function peerUnfit(effects: Pick<Effects, "facts">): Promise<Unfit | undefined> {
  const { peer, peerName } = await effects.facts();
  if (peer.seen !== "now") return { why: `${peerName} is not here`, here: false };
  const unfit = (why: string): Unfit => ({ why, here: true });
  if (peer.facts === undefined) return unfit(`${peerName} has not told what it holds`);
  if (peer.leaving) return unfit(`${peerName} is leaving`);
  if (!isFullVoter(peer.facts))
    return unfit(`${peerName} is no full voter: it may lack what was acknowledged`);
  return peer.serving ? undefined : unfit(`etcd on ${peerName} does not serve`);
}

/**
 * May duet be taken off here? To force it is for a peer that is gone. One that is here and could not go on would count for ever on
 * a member that never comes back, with the data of this machine out of its reach: it is made well, or taken off first.
 */
export function peerRefusal(
  { machine, last, force }: Pick<Plan, "machine" | "last" | "force">,
  peer: string,
  unfit: Unfit | undefined,
): Problem | undefined {
  if (unfit === undefined || last || (force !== null && !unfit.here)) return undefined;
  return {
    code: "DUET-E-UNINSTALL-PEER",
    where: peer,
    what: `${unfit.why}: without ${machine} nobody might hold everything`,
    fix: unfit.here
      ? `see \`duet status\`, and wait for 1+1; or uninstall ${peer} first, or shut it down for good and then \`duet uninstall --force "WHY"\` here`
      : `see \`duet status\`, and wait for 1+1; if ${peer} is gone for good: \`duet uninstall --force "WHY"\``,
  };
}

/** Whether the peer must be seen as the only member: a forced uninstall has nobody to ask only where the peer is gone. */
export const mustSeeAlone = ({ last, force }: Pick<Plan, "last" | "force">, peerHere: boolean): boolean =>
  !last && (force === null || peerHere);

/** Has everybody else been taken off before? A mark of a peer that is here is of an uninstall that was cut off. */
export const isLast = (unfit: Unfit | undefined, peerMarked: boolean): boolean =>
  unfit?.here === false && peerMarked;

/**
 * Through Pacemaker, as for planned work: on standby etcd leaves through the peer, which is seen as the only voter; then Pacemaker and
 * Corosync stop in good order. Whatever goes wrong before that, this machine takes part again.
 */
export async function leaveCluster(plan: Plan, say: (detail: string) => void): Promise<void> {
  const stop = async () => {
    say("Pacemaker and Corosync stop");
    await run(["systemctl", "stop", ...clusterUnits], { deadline_ms: stop_ms });
  };
  if (await isUp("pacemaker.service")) {
    const { effects, notes } = await loadHands();
    const { peer } = await effects.facts();
    const alone = mustSeeAlone(plan, peer.seen === "now");
    await leaveInOrder(plan, {
      standby: async (on) => {
        const words = on ? ["--update", "on"] : ["--delete"];
        await run(["crm_standby", "--node", plan.machine, "--lifetime", "reboot", ...words], {
          deadline_ms: 30_000,
        });
      },
      left: async () => {
        say("its etcd leaves");
        const isStopped = async () => !notes.has("started") && !(await isUp(etcdUnit));
        await until("etcd stopped by Pacemaker", isStopped, { deadline_ms: leave_ms, every_ms: 250 });
        if (alone) await seeAlone(effects);
      },
      mark: (uninstalled) => writeMark(plan.machine, uninstalled),
      giveUp: () => dropPlan(),
      stop,
      isRunning: async () => (await unitState("pacemaker.service", call_ms)).active === "active",
    });
  } else await stop();
  await run(["systemctl", "disable", ...clusterUnits], { accept: "any", deadline_ms: stop_ms });
}

/** Replaced by tests. */
export interface LeaveDoors {
  readonly standby: (on: boolean) => Promise<void>;
  /** Ends when etcd has left here, and the peer goes on alone. */
  readonly left: () => Promise<void>;
  readonly mark: (uninstalled: boolean) => Promise<void>;
  /** It is no uninstall that has begun: the next one asks about the peer anew, also where Pacemaker is down by then. */
  readonly giveUp: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Pacemaker, and it is not on its way down. */
  readonly isRunning: () => Promise<boolean>;
}

/**
 * The mark needs a Pacemaker that runs, so it is written before the stop: where that is refused, it is taken back. Where all of it is
 * cut off in between, the mark says nothing as long as the machine is here (`isLast`), and is taken back when it takes part again.
 */
export async function leaveInOrder(
  { machine, last }: Pick<Plan, "machine" | "last">,
  { standby, left, mark, giveUp, stop, isRunning }: LeaveDoors,
): Promise<void> {
  let marked = false;
  try {
    await standby(true);
    await left();
    if (!last) {
      marked = true;
      await mark(true);
    }
    await stop();
  } catch (error) {
    // One that is down, or goes down, can't be told anything: run again, this goes on from there.
    if (!(await isRunning())) throw error;
    if (marked) await mark(false).catch(() => undefined);
    await standby(false).catch(() => undefined);
    await giveUp().catch(() => undefined);
    if (!(error instanceof DuetError)) throw error;
    fail(
      "DUET-E-UNINSTALL-LEAVE",
      machine,
      `it could not leave its cluster in good order, and takes part again: ${error.message}`,
      "see `duet status`; when it is 1+1, `duet uninstall` again",
    );
  }
}

/** The peer's own linearizable list has nobody else. A learner's entry that is left is taken out: it has no voice. */
async function seeAlone({ members }: Pick<Effects, "members">): Promise<void> {
  await until(
    "the peer as the only member of etcd",
    async () => {
      const list = await members.list("peer", etcd_ms);
      if (!list.ok) return false;
      const mine = list.value.find(({ machine }) => machine !== "peer");
      if (mine?.role === "learner") await members.remove(mine.id, "peer", etcd_ms);
      return mine === undefined && list.value.length === 1;
    },
    { deadline_ms: 30_000, every_ms: 500 },
  );
}
