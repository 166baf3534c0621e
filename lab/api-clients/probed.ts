/** What the probes ask for. */
export const probed = ["write", "read"] as const;
export type Probed = (typeof probed)[number];

/** So long a probe waits. A bound that a story states is shorter, or nobody could see that it was not kept. */
export const probe_ms_max = 70_000;
