import type { Machine } from "../src/site/site.ts";
import type { Feed } from "./bmc/metal.ts";

/** The last part of an outlet's path: what the lab's PDU calls it. */
const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/**
 * The outlets of one machine, by name, above the one feed that a lab machine has: it has power while one of them is on, as a machine
 * with a supply on each. A feed that is lost before the PDU reads Off at all of them.
 */
export function outletsOf({ pdus }: Pick<Machine, "pdus">, feed: Feed): ReadonlyMap<string, Feed> {
  const names = [...new Set(pdus.map(({ outlet }) => nameOf(outlet)))];
  const off = new Set<string>();
  return new Map(
    names.map((name): [string, Feed] => [
      name,
      {
        isOn: async () => {
          if (!(await feed.isOn())) return false;
          // Somebody has plugged the machine in past its outlets: then they are on, too.
          if (off.size === names.length) off.clear();
          return !off.has(name);
        },
        off: async () => {
          if (names.every((each) => each === name || off.has(each))) await feed.off();
          off.add(name);
        },
        on: async () => {
          // Back from no power at all, only this one is on.
          if (!(await feed.isOn())) for (const each of names) off.add(each);
          off.delete(name);
          await feed.on();
        },
      },
    ]),
  );
}
