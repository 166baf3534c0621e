import type { Effects } from "../../act/effects.ts";
import { etcdUnit } from "../../base/paths.ts";
import { DuetError, fail } from "../../base/problem.ts";
import { isFullVoter } from "../../decide/lineage.ts";
import { until } from "../../machine/clock.ts";
import { writeLasting } from "../../machine/fence-times.ts";
import { run } from "../../machine/process.ts";
import { unitState } from "../../machine/systemd.ts";
import { loadHands } from "../etcd/machine.ts";
import { type Plan, uninstalledAttribute } from "./plan.ts";

const clusterUnits = ["pacemaker.service", "corosync.service"] as const;
const call_ms = 10_000;
const etcd_ms = 3_000;
/** Longer than the stop of the resource may take (src/render/policy.ts). */
const leave_ms = 120_000;
const stop_ms = 240_000;

export const isUp = async (unit: string): Promise<boolean> => {
  const { active } = await unitState(unit, call_ms);
  return active !== "inactive" && active !== "failed";
};

/** Why the peer would not go on well without this machine; undefined where it would. */
export async function peerUnfit(effects: Pick<Effects, "facts">): Promise<string | undefined> {
  const { peer, peerName } = await effects.facts();
  if (peer.seen !== "now") return `${peerName} is not here`;
  if (peer.facts === undefined) return `${peerName} has not told what it holds`;
  if (peer.leaving) return `${peerName} is leaving`;
  if (!isFullVoter(peer.facts)) return `${peerName} is no full voter: it may lack what was acknowledged`;
  return peer.serving ? undefined : `etcd on ${peerName} does not serve`;
}

/**
 * Through Pacemaker, as for planned work: on standby etcd leaves through the peer, which is seen as the only voter; then Pacemaker and
 * Corosync stop in good order. Whatever goes wrong before that, this machine takes part again.
 */
export async function leaveCluster(plan: Plan, say: (detail: string) => void): Promise<void> {
  if (await isUp("pacemaker.service")) {
    const { effects, notes } = await loadHands();
    const standby = (...words: readonly string[]) =>
      run(["crm_standby", "--node", plan.machine, "--lifetime", "reboot", ...words], { deadline_ms: 30_000 });
    await standby("--update", "on");
    try {
      say("its etcd leaves");
      await until("etcd stopped by Pacemaker", async () => !notes.has("started") && !(await isUp(etcdUnit)), {
        deadline_ms: leave_ms,
        every_ms: 250,
      });
      if (!plan.last && plan.force === null) await seeAlone(effects);
      if (!plan.last) await writeLasting(plan.machine, uninstalledAttribute, new Date().toISOString());
    } catch (error) {
      await standby("--delete").catch(() => undefined);
      if (!(error instanceof DuetError)) throw error;
      fail(
        "DUET-E-UNINSTALL-LEAVE",
        plan.machine,
        `it could not leave its cluster in good order, and takes part again: ${error.message}`,
        "see `duet status`; when it is 1+1, `duet uninstall` again",
      );
    }
  }
  say("Pacemaker and Corosync stop");
  await run(["systemctl", "stop", ...clusterUnits], { deadline_ms: stop_ms });
  await run(["systemctl", "disable", ...clusterUnits], { accept: "any", deadline_ms: stop_ms });
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
