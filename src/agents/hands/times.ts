import { type Times, times_default } from "../../act/times.ts";
import { turn_s } from "../../render/fence-device.ts";
import { fencePolicy } from "../../render/policy.ts";
import type { Site } from "../../site/site.ts";

/** How long each effect may take at this site. */
export const siteTimes = ({ timeouts }: Site): Times => ({
  ...times_default,
  bmc_ms: timeouts.bmc_call_ms,
  turn_ms: turn_s * 1000,
  goodbye_ms: fencePolicy.goodbye_s.value * 1000,
});

/** A stop that overran would be answered by a fence: all of it together is shorter than Pacemaker's patience. */
export const leaveTimes = (times: Times): Times => ({
  ...times,
  etcd_call_ms: 1_500,
  etcd_stop_ms: 5_000,
  again_ms: 300,
  tries_max: 12,
});
