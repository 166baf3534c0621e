import type { FenceAgent, Machine, Site } from "../site/site.ts";
import { orderedMachines } from "./corosync.ts";
import { credentialsFile } from "./machine-site.ts";
import { apart_ms, turnLength_ms } from "./fence-times.ts";
import { fencePolicy } from "./policy.ts";

type Options = readonly (readonly [string, string])[];

/** No delay and no address: turns are taken inside, the rest is in the site file. */
export const duetOptions = (m: Machine): Options => [["credentials_file", credentialsFile(m)]];

export function stockOptions(site: Site, m: Machine, username: string): Options {
  const url = new URL(m.bmc.url);
  return [
    // Stock agents put the address into a URL as it is: IPv6 keeps its brackets.
    ["ip", url.hostname],
    ["ipport", url.port || "443"],
    ["username", username],
    // The password stays in a file that only root reads; the agent runs this to get it.
    ["password_script", passwordScript(m)],
    ...(m.bmc.system === undefined ? [] : [["systems_uri", m.bmc.system] as const]),
    ...(m.bmc.trust.by === "nothing" ? [["ssl_insecure", "1"] as const] : []),
    ["power_timeout", String(fence_s(site))],
    ["stonith_status_sleep", String(fencePolicy.status_sleep_s.value)],
    // With the machine's name: Pacemaker 3.0.0 takes a bare value too, but logs an error for it.
    ["pcmk_delay_base", `${m.name}:${raceDelay_s(site, m)}s`],
  ];
}

export const passwordScript = (m: Machine): string => `/etc/duet/bmc/${m.name}.password`;

const fence_s = (site: Site): number => Math.ceil(site.timeouts.fence_ms / 1000);

/** One turn of the race where nothing was measured: what follows from it is written before anything can be. */
export const turn_s = (site: Site): number =>
  Math.ceil(turnLength_ms(site.timeouts, [undefined, undefined]) / 1000);

/** One try of one device: what it waits for inside, the fence, and the margin. */
export function offTimeout_s(site: Site, target: Machine, agent: FenceAgent): number {
  const delay_s =
    agent === "fence_redfish"
      ? raceDelay_s(site, target)
      : fencePolicy.turns_waited.value * turn_s(site) + fencePolicy.goodbye_s.value;
  return delay_s + fence_s(site) + fencePolicy.margin_s.value;
}

/** Every try of the slowest device: Pacemaker gives up the whole operation after this. */
export function fencingTimeout_s(site: Site, agent: FenceAgent): number {
  const tries = 1 + fencePolicy.off_retries.value;
  return Math.max(...site.machines.map((m) => offTimeout_s(site, m, agent))) * tries;
}

/**
 * For the stock agent, which takes no turns. The preferred machine is fenced later by a whole fence and a margin, so it wins a race
 * of two healthy ones. A stored value, never computed then.
 */
export function raceDelay_s(site: Site, target: Machine): number {
  const preferred =
    site.fencing.preferred === "leader" ? orderedMachines(site)[0]?.name : site.fencing.preferred;
  return target.name === preferred ? fence_s(site) + Math.ceil(apart_ms(site.timeouts) / 1000) : 0;
}
