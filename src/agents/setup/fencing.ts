import type { Effects } from "../../act/effects.ts";
import { now_ms, until } from "../../machine/clock.ts";
import { readFenceTimes, writeFenceTimes } from "../../machine/fence-times.ts";
import { fenceDevices, forgetFailures, isProven } from "../../machine/pacemaker.ts";
import { orderedMachines } from "../../render/corosync.ts";
import { measureCalls, measureOff } from "../fence/measure.ts";
import type { Ways } from "../hands/ways.ts";
import { whole } from "./ready.ts";

const fence_retry_ms = 8_000;
const lost_ms = 60_000;
/** Servers that test all of their memory at each boot need ten minutes. */
const back_ms = 20 * 60_000;

/** A cluster whose fencer knows no way to its peer looks whole until the day it is needed. */
export async function fenceable(peer: string): Promise<void> {
  const device = `fence-${peer}`;
  let tried_ms = now_ms();
  await until(
    `a fence device for ${peer} that is registered here and has logged in to its BMC`,
    async () => {
      if ((await fenceDevices(peer)).length > 0 && (await isProven(device))) return true;
      // A BMC that did not answer, or a wrong password, makes Pacemaker wait for minutes: it may be mended by now.
      if (now_ms() - tried_ms > fence_retry_ms) {
        await forgetFailures(device);
        tried_ms = now_ms();
      }
      return false;
    },
    { deadline_ms: 60_000, every_ms: 250 },
  );
}

/** In harmless form, at every run. What a real Off took stays known. */
export async function measureHarmless(ways: Ways, say: (detail: string) => void): Promise<void> {
  const { name } = ways.theirs;
  const calls = await measureCalls(ways, new Date());
  const off = (await readFenceTimes(ways.site))?.get(name)?.off;
  await writeFenceTimes(name, { ...calls, ...(off === undefined ? {} : { off }) });
  say(`${calls.calls} calls, ${calls.call_ms_median} ms, at most ${calls.call_ms_worst} ms`);
}

export interface FenceTest {
  readonly ways: Ways;
  readonly effects: Pick<Effects, "disk" | "attributes" | "quorum">;
  readonly say: (detail: string) => void;
}

/**
 * At the first setup, where the site consents: each machine is switched off once by its peer. One after the other, by name: who
 * comes second waits until it was switched off itself, and is back. Cut off anywhere, it is done again, or found done.
 */
export async function fenceTestOnce(test: FenceTest): Promise<void> {
  const { ways, say } = test;
  const { site, mine, theirs } = ways;
  const before = (await readFenceTimes(site))?.get(theirs.name)?.off;
  if (before !== undefined) return say(`took ${before.worst_ms} ms, measured before`);
  if (orderedMachines(site)[0]?.name !== mine.name) {
    say(`waits: ${theirs.name} switches ${mine.name} off first`);
    await until(
      `${theirs.name} has switched ${mine.name} off and on, to measure it`,
      async () => (await readFenceTimes(site))?.get(mine.name)?.off !== undefined,
      { deadline_ms: back_ms, every_ms: 1_000 },
    );
  }
  await fenceTest(test);
}

/** One real Off of the peer, and its way back to 1+1. Whoever calls this has the consent. */
export async function fenceTest({ ways, effects, say }: FenceTest): Promise<void> {
  const { site, theirs } = ways;
  await whole(effects, say, lost_ms);
  const off_ms = await measureOff(ways);
  say(`${theirs.name} was off after ${off_ms} ms, and comes back`);
  await until(
    `${theirs.name} lost`,
    async () => {
      const loss = await effects.quorum.loss();
      return loss.ok && loss.value !== undefined;
    },
    { deadline_ms: lost_ms, every_ms: 250 },
  );
  await whole(effects, () => undefined, back_ms);
  const known = (await readFenceTimes(site))?.get(theirs.name);
  const worst_ms = Math.max(off_ms, known?.off?.worst_ms ?? 0);
  const calls = known ?? (await measureCalls(ways, new Date()));
  await writeFenceTimes(theirs.name, { ...calls, off: { worst_ms, at: new Date().toISOString() } });
  say(`${theirs.name} was off after ${off_ms} ms, and is back`);
}
