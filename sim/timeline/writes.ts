import { nameOf } from "../agents/names.ts";
import type { Note } from "../kernel/trace.ts";
import type { Ack, Moment } from "./moment.ts";

/** So long without an acknowledged write, while clients try, is an outage. */
const outage_us = 3_000_000;

export const acksOf = (notes: readonly Note[]): readonly Ack[] =>
  notes
    .filter(({ kind }) => kind === "client.write")
    .map(({ at_us, cells }) => ({ at_us, machine: Number(cells[1]) }));

/** The last write before each outage and the first after it. After the clients' last write there is none: they are done. */
export function outages(acks: readonly Ack[]): readonly Moment[] {
  return acks.flatMap((ack, at) => {
    const before = acks[at - 1];
    if (before === undefined || ack.at_us - before.at_us < outage_us) return [];
    const seconds = ((ack.at_us - before.at_us) / 1e6).toFixed(1);
    const stop: Moment = {
      at_us: before.at_us,
      lane: "between",
      sort: "writes",
      level: 1,
      kind: "client.write",
      text: `the last acknowledged write for ${seconds} s (by ${nameOf(before.machine)})`,
    };
    const again: Moment = {
      at_us: ack.at_us,
      lane: "between",
      sort: "writes",
      level: 0,
      kind: "client.write",
      text: `writes are acknowledged again, by ${nameOf(ack.machine)}, after ${seconds} s`,
    };
    return [stop, again];
  });
}
