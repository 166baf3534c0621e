import { windowOf_ms } from "../base/turn.ts";
import type { Effects, Outcome } from "./effects.ts";
import { failed } from "./effects.ts";
import type { Times } from "./times.ts";

const late_reads = 2;

/** Before each command: is it still right to switch the peer off? It may wait first; its answer is why not. */
export type MayCommand = () => AsyncGenerator<string, string | undefined, void>;

/**
 * Commands Off by one way after the other until Off is read. It is commanded even where Off is read already: the reading may be
 * cached. A way that took the command and does not lead to Off is left for the next: some BMCs accept and do nothing.
 */
export async function* proveOff(
  effects: Effects,
  times: Times,
  may: MayCommand,
): AsyncGenerator<string, Outcome, void> {
  let last: Outcome = failed("unreachable", "there is no way to switch the peer off");
  for (const way of effects.bmc.offWays) {
    const no = yield* may();
    if (no !== undefined) return failed("changed", no);
    yield `command the peer's Off by its ${way}`;
    last = await effects.bmc.commandOff(way, commandDeadline_ms(times, effects.bmc.offWays.length));
    if (!last.ok) continue;
    const off = yield* readOff(effects, times, times.tries_max);
    if (off.ok) return off;
    last = off;
  }
  // A slow BMC may have taken the command, and answered too late.
  const off = yield* readOff(effects, times, late_reads);
  return off.ok ? off : last;
}

/** All ways, one after the other, fit into the window in which this machine may command: a silent one must leave the next its room. */
export const commandDeadline_ms = ({ bmc_ms, turn_ms }: Times, ways: number): number =>
  Math.min(bmc_ms, windowOf_ms(turn_ms) / ways);

async function* readOff(
  effects: Effects,
  times: Times,
  tries_max: number,
): AsyncGenerator<string, Outcome, void> {
  for (let tries = 0; tries < tries_max; tries++) {
    yield "read that the peer is off";
    const power = await effects.bmc.peerPower(times.bmc_ms);
    if (power.ok && power.value === "off") return { ok: true, value: undefined };
    await effects.pause(times.again_ms);
  }
  return failed("failed", "the command was taken, and the peer does not read Off");
}
