import type { Effects } from "../../act/effects.ts";
import { exit, fail } from "../../base/problem.ts";
import { until } from "../../machine/clock.ts";
import { readFenceTimes, writeFenceTimes } from "../../machine/fence-times.ts";
import { isMaintained } from "../../machine/modes.ts";
import { seconds } from "../../machine/progress.ts";
import { detectionOf, orderedMachines } from "../../render/corosync.ts";
import type { FenceTimes } from "../../render/fence-times.ts";
import { measureCalls, measureOff } from "../fence/measure.ts";
import { placesOf } from "../hands/reach.ts";
import type { Ways } from "../hands/ways.ts";
import { lookAgain, takePass } from "../planned/pass.ts";
import { whole } from "../setup/ready.ts";
import { isWhole } from "./harmless.ts";

const lost_ms = 60_000;
const call_ms = 5_000;
/** Servers that test all of their memory at each boot need ten minutes. */
const back_ms = 20 * 60_000;

export interface FenceTest {
  readonly ways: Ways;
  readonly effects: Pick<Effects, "disk" | "attributes" | "members" | "quorum">;
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

/**
 * One real Off of the peer, and its way back to 1+1: how long Off took. Whoever calls this has the consent. What a minute ago was 1+1 may
 * not be now, and somebody else may take this machine away by plan: so it looks once more with the pass in hand.
 */
export async function fenceTest({ ways, effects, say }: FenceTest): Promise<number> {
  const { site, theirs } = ways;
  await whole(effects, say, lost_ms);
  await lookAgain(await passFor(ways), async () =>
    refuseUnlessWhole(effects, theirs.name, await isMaintained(call_ms)),
  );
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
  return off_ms;
}

/** Who takes the other machine away by plan waits, or is waited for. */
const passFor = ({ site, mine, theirs }: Ways) =>
  takePass(
    { me: mine.name, places: placesOf(site, mine.name) },
    { words: `fence-test ${theirs.name} --disruptive`, machine: theirs.name, force: false },
  );

/** A machine is switched off for a test only where its peer holds everything, and can go on at once. */
export async function refuseUnlessWhole(
  { disk, attributes, members }: Pick<Effects, "disk" | "attributes" | "members">,
  peerName: string,
  maintained: boolean,
): Promise<void> {
  const refuse = (what: string, fix: string) =>
    fail("DUET-E-FENCE-TEST-NOT-WHOLE", peerName, `${what}; nothing was done`, fix, exit.notHere);
  if (maintained)
    refuse("maintenance is on, and nobody would take over", "`duet maintenance off`, and try again");
  // By a read that both have to answer: files alone say nothing of an etcd that is down.
  const listed = await members.list("self", call_ms);
  const voters = listed.ok ? listed.value.filter(({ role }) => role === "voter").length : 0;
  if (voters === 2 && (await isWhole({ disk, attributes }))) return;
  refuse(
    "it is not 1+1: to switch a machine off now could leave nobody who serves, or lose data",
    "see `duet status`, and try again at 1+1",
  );
}

/** What whoever consents must know. */
export function costsOf({ site, mine, theirs }: Ways, times: FenceTimes | undefined): readonly string[] {
  const { token_ms, consensus_ms } = detectionOf(site);
  const off =
    times?.off === undefined
      ? `at most ${seconds(site.timeouts.fence_ms)} to prove it off (it was never measured)`
      : `${seconds(times.off.worst_ms)} to prove it off (measured ${times.off.at.slice(0, 10)})`;
  return [
    `${theirs.name} is switched off, as if its power cord were pulled, and on again.`,
    `Until ${mine.name} has taken over nothing can be written: ${seconds(token_ms + consensus_ms)} to see the loss, ${off}, and some seconds to start.`,
    `What runs on ${theirs.name} alone ends.`,
    `Until ${theirs.name} has booted and caught up, which takes minutes, ${mine.name} must not be lost.`,
  ];
}
