import { closer, type Moment } from "./moment.ts";

/** A pass over all moments in their order. */
export type Pass = (moments: readonly Moment[]) => readonly Moment[];

/** Moments of the same time, one list each. */
export function byTime(moments: readonly Moment[]): readonly (readonly Moment[])[] {
  const groups: Moment[][] = [];
  for (const moment of moments) {
    const last = groups.at(-1);
    if (last?.[0]?.at_us === moment.at_us) last.push(moment);
    else groups.push([moment]);
  }
  return groups;
}

const struck: ReadonlySet<string> = new Set(["power", "wire", "bmc", "etcd"]);

/** What a fault or a power cut does at that very moment is already told by its name. */
export const withoutEchoes: Pass = (moments) =>
  byTime(moments).flatMap((group) => {
    const fault = group.some(({ sort }) => sort === "fault");
    const dark = group.some(({ kind, text }) => kind === "machine" && text !== "is up");
    return group.map((moment) => {
      const echo = (fault && struck.has(moment.sort)) || (dark && moment.kind === "etcd.exit");
      return echo ? { ...moment, level: closer } : moment;
    });
  });

const switched = /: power is (on|off)$/;

/** The BMC switched: one line, at the machine. */
export const switchedByBmc: Pass = (moments) =>
  byTime(moments).flatMap((group) => {
    const bmc = group.filter(({ kind, text }) => kind === "bmc.power" && switched.test(text));
    return group
      .filter((moment) => !bmc.includes(moment))
      .map((moment) => {
        const by = bmc.find(({ about }) => moment.kind === "machine" && about === moment.lane);
        return by === undefined
          ? moment
          : { ...moment, text: `is switched ${switched.exec(by.text)?.[1]} by its BMC` };
      });
  });

/** A BMC that had no fault has nothing to recover from. */
export const mendedOnce: Pass = (moments) => {
  const faulty = new Set<number | undefined>();
  return moments.filter(({ kind, sort, about }) => {
    if (kind !== "bmc.fault") return true;
    if (sort === "mended") return faulty.delete(about);
    faulty.add(about);
    return true;
  });
};
