import type { Effects, Outcome, OwnFacts, Published } from "./effects.ts";
import type { Times } from "./times.ts";

/** Tells the peer what this machine holds and does now. A lost word is no harm: the next decision publishes again. */
export async function publishFacts(effects: Effects, times: Times, leaving = false): Promise<Outcome> {
  const said = await saying(effects, await effects.own(), leaving);
  return await effects.attributes.publish(said, times.attribute_ms);
}

/** Each publication wakes the peer: only news are published, unless it is to be repeated. */
export async function publishNews(
  effects: Effects,
  times: Times,
  facts: OwnFacts,
  repeat: boolean,
): Promise<void> {
  const said = await saying(effects, facts, false);
  const last = await effects.attributes.readOwn(times.attribute_ms);
  const known = last.ok && last.value !== undefined && isSame(last.value, said);
  if (!known || repeat) await effects.attributes.publish(said, times.attribute_ms);
}

/** Also with a file that can't be read: the peer must hear that this machine can say nothing of its data. */
async function saying(effects: Effects, { self, etcd }: OwnFacts, leaving: boolean): Promise<Published> {
  const state = await effects.disk.readState();
  const logEnd = await effects.disk.logEnd();
  const isNew = await effects.disk.isNew();
  return {
    holding: self,
    serving: etcd.running && etcd.leader,
    running: etcd.running,
    leaving,
    isNew: isNew.ok && isNew.value,
    boot: effects.boot,
    witness: effects.site.witness,
    turn: state.ok ? state.value.turn : undefined,
    logEnd: logEnd.ok ? logEnd.value : undefined,
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
