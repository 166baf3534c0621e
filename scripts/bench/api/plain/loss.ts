import { Crew } from "../../../../lab/api-clients/crew.ts";
import { metalOf } from "../../../../lab/metal/power.ts";
import { runIn } from "../../../../lab/run.ts";
import { sleep, until } from "../../../../src/machine/clock.ts";
import type { Way } from "../two.ts";
import type { PlainCluster } from "./cluster.ts";

/** They write so long before anything is lost. */
const steady_ms = 3_000;
/** An election is long over by then. */
const watch_ms = 8_000;
const back_ms_max = 120_000;
/** The last write is not older than that: the API takes them again. */
const fresh_ms = 1_000;

/**
 * The longest time without an acknowledged write when etcd's leader is lost, as clients of an API server on another machine see it.
 * It ends with all machines whole again.
 */
export async function losePlain(
  cluster: PlainCluster,
  way: Way,
  say: (detail: string) => void,
): Promise<number> {
  const { lab, names } = cluster;
  const [leader = "", survivor = ""] = names;
  await cluster.letLead(leader);
  await cluster.speakTo(survivor);
  const crew = await Crew.begin(lab);
  try {
    await sleep(steady_ms);
    const fault_ms = Date.now();
    if (way === "reboot") await runIn(lab, leader, ["systemctl", "reboot"], { accept: "any" });
    else await metalOf(lab, leader)[way]();
    await until(
      "the API takes writes again",
      async () => {
        const { last_ms, now_ms } = await crew.fresh();
        return last_ms > fault_ms + watch_ms && now_ms - last_ms < fresh_ms;
      },
      { deadline_ms: back_ms_max },
    );
    // A planned reboot has a second half.
    await cluster.whole();
    const { gap_ms } = await crew.fresh();
    say(`${gap_ms.toFixed(0)} ms without a write`);
    return gap_ms;
  } finally {
    crew.kill();
    // One that hangs has to be let go before the lab can be.
    if (way === "hang") await metalOf(lab, leader).cut();
  }
}
