import { commandDeadline_ms } from "../../act/off.ts";
import { type Times, times_default } from "../../act/times.ts";
import { type FenceTimes, turnLength_ms } from "../../render/fence-times.ts";
import { fencePolicy } from "../../render/policy.ts";
import type { Site } from "../../site/site.ts";

/** At most: the BMC's root, its Systems, the System, and a change. */
const calls_max = 4;
/** A tag is read, written and read back. */
const tag_calls_max = 5;

/** Who has quorum is in a hurry: what a fence or a takeover still needs of a BMC it reads for itself, with more patience. */
export const hurry_ms = 3_000;

/** One effect at a BMC where nothing hurries. */
export const bmcEffect_ms = ({ timeouts }: Pick<Site, "timeouts">): number =>
  calls_max * timeouts.bmc_call_ms;

/** How long each effect may take at this site. `measured`: of each machine's fence, as Pacemaker's configuration has it. */
export const siteTimes = (
  { timeouts, machines }: Pick<Site, "timeouts" | "machines">,
  measured: ReadonlyMap<string, FenceTimes> = new Map(),
): Times => ({
  ...times_default,
  bmc_ms: bmcEffect_ms({ timeouts }),
  bmc_call_ms: timeouts.bmc_call_ms,
  tag_ms: Math.max(times_default.tag_ms, tag_calls_max * timeouts.bmc_call_ms),
  turn_ms: pairTurn_ms({ timeouts, machines }, measured),
  goodbye_ms: fencePolicy.goodbye_s.value * 1000,
});

export function pairTurn_ms(
  { timeouts, machines }: Pick<Site, "timeouts" | "machines">,
  measured: ReadonlyMap<string, FenceTimes>,
): number {
  const [one, other] = machines.map(({ name }) => measured.get(name));
  return turnLength_ms(timeouts, [one, other]);
}

/** A peer with outlets is switched off by its BMC, else by these. */
const ways_with_outlets = 2;

/**
 * So long may an outlet take for an answer, to be one by which a fence can be counted on: its command has no more time, and where it is
 * one of several, neither has the look at which a fence begins (outlets.ts).
 */
export function outletAnswer_ms(
  { timeouts, machines }: Pick<Site, "timeouts" | "machines">,
  turn_ms: number,
  outlets: number,
): number {
  const times = { ...siteTimes({ timeouts, machines }), turn_ms };
  const command_ms = Math.min(times.bmc_call_ms, commandDeadline_ms(times, ways_with_outlets));
  return outlets > 1 ? Math.min(command_ms, hurry_ms) : command_ms;
}

/** A stop that overran would be answered by a fence: all of it together is shorter than Pacemaker's patience. */
export const leaveTimes = (times: Times): Times => ({
  ...times,
  etcd_call_ms: 1_500,
  etcd_stop_ms: 5_000,
  again_ms: 300,
  tries_max: 12,
});
