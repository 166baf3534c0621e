import { attributeOf, dropAttribute, setAttribute } from "../../machine/attributes.ts";

/**
 * A reboot that a person asks for on the other machine. There is no way from machine to machine but Pacemaker's, so it is said as
 * a transient attribute, which the machine that is meant reads at each of its looks. It holds for the membership in which it is
 * said: a machine that is back from its reboot is in another one, and does not hear it twice.
 */
const attribute = "duet-wish";

export interface Wish {
  readonly machine: string;
  /** Also where nobody would serve then. */
  readonly force: boolean;
}

export const encodeWish = ({ machine, force }: Wish, ring: string): string =>
  `${ring} ${force ? "force-reboot" : "reboot"} ${machine}`;

/** Undefined: nothing is wished in this membership. */
export function wishIn(text: string | undefined, ring: string): Wish | undefined {
  const [said, verb, machine, ...more] = text?.split(" ") ?? [];
  if (said !== ring || machine === undefined || more.length > 0) return undefined;
  return verb === "reboot" || verb === "force-reboot"
    ? { machine, force: verb === "force-reboot" }
    : undefined;
}

export const sayWish = (wish: Wish, ring: string, deadline_ms: number): Promise<void> =>
  setAttribute(attribute, encodeWish(wish, ring), deadline_ms);

export const withdrawWish = (deadline_ms: number): Promise<void> => dropAttribute(attribute, deadline_ms);

/** What was said on that machine. */
export const wishOf = async (machine: string, ring: string, deadline_ms: number): Promise<Wish | undefined> =>
  wishIn(await attributeOf(machine, attribute, deadline_ms), ring);
