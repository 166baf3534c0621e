import type { Machine, Site, Timeouts, Trust } from "./site.ts";

/** Every default of the site file, and the bounds of what may be written instead. */

export const timeouts_default: Timeouts = {
  // Corosync's own 3000 ms would cost 1.5 s more of every failover.
  token_ms: 1500,
  // A BMC that takes 5 s for an answer is slow, and not broken: it is waited for. A silent one costs this at each call.
  bmc_call_ms: 8000,
  // Slow BMCs were seen to need 40 s for a power action.
  fence_ms: 60_000,
};

/** A fence has room for two calls at least: where only the fence is written, and short, a call is shorter too. */
export const bmcCallDefault_ms = (fence_ms: number): number =>
  Math.min(timeouts_default.bmc_call_ms, Math.floor(fence_ms / 2));

export interface Bound {
  readonly min_ms: number;
  readonly max_ms: number;
  readonly why: string;
}

export const timeout_bounds = {
  token: {
    min_ms: 1000,
    max_ms: 30_000,
    why: "a shorter token takes a busy machine for a dead one, a longer one only delays every failover",
  },
  bmc_call: {
    min_ms: 1000,
    max_ms: 60_000,
    why: "a shorter one gives up on healthy BMCs, a longer one lets a hung BMC hold up the failover",
  },
  fence: {
    min_ms: 5000,
    max_ms: 600_000,
    why: "real BMCs need about 6 s to power off, and nobody should wait over ten minutes for one",
  },
} as const satisfies Record<string, Bound>;

export const witness_default: Site["witness"] = "on";

export const fence_agent_default: Site["fencing"]["agent"] = "fence_duet";

/** Nothing that runs is switched off unless somebody has said so. */
export const stop_failure_default: Site["fencing"]["stop_failure"] = "block";
export const test_default: Site["fencing"]["test"] = "off";

export const trust_default: Trust = { by: "system" };

/** The name that sorts first, by code unit: the same on every machine whatever its locale. */
export function preferredDefault(machines: readonly Pick<Machine, "name">[]): string {
  return machines.map((machine) => machine.name).toSorted((a, b) => (a < b ? -1 : 1))[0] ?? "";
}

export const preferred_leader = "leader";

/** Words that duet uses for something else where a machine's name may stand. */
export const reserved_names: readonly string[] = [preferred_leader, "seat", "localhost"];

export const name_length_max = 63;
/** A corosync link each; two wires are what a site of two machines has. */
export const links_max = 2;
/** As many power supplies as a server has. Each outlet takes its time of the window in which a machine may be switched off. */
export const outlets_max = 4;
export const site_bytes_max = 32 << 10;

/** More than anybody has, and not so many that one event keeps a machine busy. */
export const alerts_max = 16;
export const mail_to_max = 16;
/** Those of syslog(3) that a program other than the system's own may use. */
export const facilities = [
  "user",
  "mail",
  "daemon",
  "local0",
  "local1",
  "local2",
  "local3",
  "local4",
  "local5",
  "local6",
  "local7",
] as const;
export const facility_default: (typeof facilities)[number] = "daemon";
