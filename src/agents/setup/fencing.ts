import { DuetError, fail } from "../../base/problem.ts";
import { now_ms, until } from "../../machine/clock.ts";
import { fenceDevices, forgetFailures, isProven } from "../../machine/pacemaker.ts";
import type { Ways } from "../hands/ways.ts";
import { noteCalls } from "../proof/harmless.ts";
import { proveHere } from "../proof/here.ts";

const fence_retry_ms = 8_000;

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

/** As `duet fence-test` does, at every run. It may be before both are whole: no tag is written. */
export async function proveFencing(ways: Ways, say: (detail: string) => void): Promise<void> {
  const { proof, calls } = await proveHere(ways, () => Promise.resolve(false));
  const wrong = proof.ways.filter(({ ok }) => !ok);
  if (wrong.length > 0)
    throw new DuetError(
      wrong.map(({ way, why, fix, code }) => ({
        code: code ?? "DUET-E-FENCE-PROOF",
        where: `${proof.target}, ${way}`,
        what: why,
        fix,
      })),
    );
  if (calls === undefined)
    return fail("DUET-E-FENCE-PROOF", proof.target, "nothing was measured", "try again");
  // The race counts with them: here it must be known that both have them.
  await noteCalls(ways, calls);
  say(`${calls.calls} calls, ${calls.call_ms_median} ms, at most ${calls.call_ms_worst} ms`);
}
