import { Crew } from "../../../../lab/api-clients/crew.ts";
import { machineOf } from "../../../../lab/folder.ts";
import { isHung, leaderPid, metalOf } from "../../../../lab/metal/power.ts";
import { runIn } from "../../../../lab/run.ts";
import { sleep, until } from "../../../../src/machine/clock.ts";
import type { Say } from "../attempts.ts";
import { apiAcks, longest_ms, untilBack } from "../gaps.ts";
import type { Way } from "../two.ts";
import type { PlainCluster } from "./cluster.ts";

/** They write so long before anything is lost. */
const steady_ms = 3_000;
/** An election is long over by then. */
const watch_ms = 8_000;
/** systemd gives what does not end 90 s at a shutdown. */
const back_ms_max = 300_000;
/** The last write is not older than that: the API takes them again. */
const fresh_ms = 1_000;

/** Who is lost, and whose API server its clients speak to: that of a machine that stays, where there is one. */
export interface Roles {
  readonly leader: string;
  readonly gone: string;
  readonly spokenTo: string;
}

export function rolesIn(names: readonly string[], way: Way): Roles {
  const [leader = "", other = leader] = names;
  const gone = way === "follower_cut" ? (names.at(-1) ?? leader) : leader;
  return { leader, gone, spokenTo: other };
}

/**
 * The longest time without an acknowledged write when a plain machine is lost. It begins with all machines whole, and does not wait until
 * they are so again: who comes next does.
 */
export async function losePlain(cluster: PlainCluster, way: Way, say: Say): Promise<number> {
  const { lab, names } = cluster;
  const { leader, gone, spokenTo } = rolesIn(names, way);
  await cluster.whole();
  await cluster.letLead(leader);
  await cluster.speakTo(spokenTo);
  const crew = await Crew.begin(lab);
  try {
    await sleep(steady_ms);
    const fault_ms = Date.now();
    await lose(cluster, gone, way);
    if (gone === spokenTo) {
      // Nobody else is there to bring it back.
      await metalOf(lab, gone).on();
      await untilBack(crew, fault_ms, back_ms_max);
    } else await untilServed(crew, fault_ms);
    // A planned reboot has a second half.
    if (way === "reboot") await cluster.whole();
    const end_ms = Date.now();
    await crew.stop();
    const gap_ms = longest_ms(apiAcks(await crew.entries()), fault_ms, end_ms);
    say(`${gap_ms.toFixed(0)} ms without a write`);
    await crew.clean();
    return gap_ms;
  } finally {
    crew.kill();
    // One that hangs has to be let go before the lab can be.
    if (await isHung(lab, machineOf(lab, gone))) await metalOf(lab, gone).cut();
  }
}

async function lose({ lab }: PlainCluster, gone: string, way: Way): Promise<void> {
  switch (way) {
    case "cut":
    case "follower_cut":
      return await metalOf(lab, gone).cut();
    case "hang":
      return await metalOf(lab, gone).hang();
    case "reboot": {
      const m = machineOf(lab, gone);
      const before = await leaderPid(lab, m);
      await runIn(lab, gone, ["systemctl", "reboot"], { accept: "any" });
      // It has power all the time: only another first process tells that it was away.
      await until(
        `${gone} boots anew`,
        async () => {
          const now = await leaderPid(lab, m);
          return now !== undefined && now !== before;
        },
        { deadline_ms: back_ms_max },
      );
    }
  }
}

/** Those who stayed take writes, so long after the loss that nothing of it is still to come. */
async function untilServed(crew: Crew, fault_ms: number): Promise<void> {
  await until(
    "the API takes writes again",
    async () => {
      const { last_ms, now_ms } = await crew.fresh();
      return last_ms > fault_ms + watch_ms && now_ms - last_ms < fresh_ms;
    },
    { deadline_ms: back_ms_max },
  );
}
