import type { Effects, Outcome } from "./effects.ts";
import type { Times } from "./times.ts";

/** Tells the peer what this machine holds and does now. A lost word is no harm: the next decision publishes again. */
export async function publishFacts(effects: Effects, times: Times, leaving = false): Promise<Outcome> {
  const { self, etcd } = await effects.facts();
  const serving = etcd.running && etcd.leader;
  return await effects.attributes.publish({ holding: self, serving, leaving }, times.attribute_ms);
}
