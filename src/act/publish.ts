import type { Effects, Outcome, OwnFacts, Published } from "./effects.ts";
import type { Times } from "./times.ts";

/** Tells the peer what this machine holds and does now. A lost word is no harm: the next decision publishes again. */
export async function publishFacts(effects: Effects, times: Times, leaving = false): Promise<Outcome> {
  const said = await saying(effects, await effects.own(), leaving);
  return said.ok ? await effects.attributes.publish(said.value, times.attribute_ms) : said;
}

/** Each publication wakes the peer: only news are published, unless it is to be repeated. */
export async function publishNews(
  effects: Effects,
  times: Times,
  facts: OwnFacts,
  repeat: boolean,
): Promise<void> {
  const said = await saying(effects, facts, false);
  if (!said.ok) return;
  const last = await effects.attributes.readOwn(times.attribute_ms);
  const known = last.ok && last.value !== undefined && isSame(last.value, said.value);
  if (!known || repeat) await effects.attributes.publish(said.value, times.attribute_ms);
}

async function saying(
  effects: Effects,
  { self, etcd }: OwnFacts,
  leaving: boolean,
): Promise<Outcome<Published>> {
  const state = await effects.disk.readState();
  if (!state.ok) return state;
  const logEnd = await effects.disk.logEnd();
  return {
    ok: true,
    value: {
      holding: self,
      serving: etcd.running && etcd.leader,
      leaving,
      turn: state.value.turn,
      logEnd: logEnd.ok ? logEnd.value : undefined,
    },
  };
}

/** Field by field, as far down as it goes: it is asked at each look. */
export const isSame = (one: Published, other: Published): boolean => isEqual(one, other);

function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isRecord(one) || !isRecord(other)) return false;
  for (const name in one) if (!isEqual(one[name], other[name])) return false;
  for (const name in other) if (!(name in one) && other[name] !== undefined) return false;
  return true;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
