import { DuetError } from "../../base/problem.ts";
import { now_ms, sleep } from "../../machine/clock.ts";
import { problemOf, type Result } from "../../redfish/failure.ts";
import type { FenceTimes } from "../../render/fence-times.ts";
import { bmcEffects } from "../hands/bmc.ts";
import { bmcEffect_ms } from "../hands/times.ts";
import type { Ways } from "../hands/ways.ts";

const rounds = 5;
const again_ms = 250;

/**
 * In harmless form: logs in to the peer's BMC, reads its power and its tag, several times, as a fence and a takeover do. It shows
 * that the way is there and how long one call takes. How long the machine takes to go off only a real Off shows.
 */
export async function measureCalls(ways: Ways, at: Date): Promise<Omit<FenceTimes, "off">> {
  const { url } = ways.theirs.bmc;
  const times_ms: number[] = [];
  const timed = async (call: () => Promise<Result<unknown>>): Promise<void> => {
    const start_ms = now_ms();
    const answer = await call();
    if (!answer.ok) throw new DuetError([problemOf(answer.failure, url)]);
    times_ms.push(now_ms() - start_ms);
  };
  for (let round = 0; round < rounds; round += 1) {
    const client = await ways.bmc("theirs", 2 * bmcEffect_ms(ways.site));
    await timed(() => client.root());
    // To look for it is not what a fence does: it is known by then.
    await client.system();
    await timed(() => client.powerState());
    if (ways.site.witness === "on") await timed(() => client.readTag());
  }
  const sorted = times_ms.toSorted((a, b) => a - b);
  return {
    bmc: url,
    calls: sorted.length,
    call_ms_median: Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0),
    call_ms_worst: Math.round(sorted.at(-1) ?? 0),
    read_at: at.toISOString(),
  };
}

/**
 * For real: commands the peer's Off and waits until Off is read. Whoever calls this has asked for consent, and has seen both
 * machines whole. What follows is left to the cluster: it loses the peer, proves its Off once more, takes over and powers it on.
 */
export async function measureOff(ways: Ways): Promise<number> {
  const { url } = ways.theirs.bmc;
  const { fence_ms } = ways.site.timeouts;
  const effect_ms = bmcEffect_ms(ways.site);
  const bmc = bmcEffects(ways);
  const failed = (known: string, what: string): never => {
    throw new DuetError([
      {
        code: "DUET-E-FENCE-TEST",
        where: url,
        what: `${known}: ${what}`,
        fix: "see the machine's power and the BMC's own log, and raise `timeouts.fence` if it is only slow",
      },
    ]);
  };
  const unknown = `nobody knows whether ${ways.theirs.name} was switched off`;
  const start_ms = now_ms();
  const taken = await bmc.commandOff("BMC", effect_ms);
  if (!taken.ok) {
    const { kind, said } = taken.failure;
    return kind === "deadline"
      ? failed(unknown, `the command went out; ${said}`)
      : failed(`${ways.theirs.name} was not switched off`, said);
  }
  let seen = "";
  // Twice what was configured: also a fence that is too slow is to be known, and told.
  while (now_ms() - start_ms < 2 * fence_ms) {
    const power = await bmc.peerPower(effect_ms);
    if (power.ok && power.value === "off") return Math.round(now_ms() - start_ms);
    seen = power.ok ? "" : power.failure.said;
    await sleep(again_ms);
  }
  const took = `the BMC took the command, and after ${(2 * fence_ms) / 1000} s`;
  return seen === ""
    ? failed(`${ways.theirs.name} was not switched off`, `${took} it is still on`)
    : failed(unknown, `${took} its power can't be read: ${seen}`);
}
