import { attributeOf, dropAttribute, setAttribute } from "../../machine/attributes.ts";
import { now_ms } from "../../machine/clock.ts";
import { failureOf } from "../hands/outcome.ts";

/**
 * A reboot that a person asks for on the other machine. There is no way from machine to machine but Pacemaker's, so it is said as
 * a transient attribute, which the machine that is meant reads at each of its looks. It holds for the membership in which it is
 * said: a machine that is back from its reboot is in another one, and does not hear it twice.
 *
 * A membership may last for months, and who asked may be killed before he can take it back. The two machines share no clock by
 * which a wish could end, so it ends with who asks: he says it again and again, each time with the next number, and it counts only
 * for who has seen the number change (`heed.ts`).
 */
const attribute = "duet-wish";

/** So often it is said anew. */
export const say_ms = 1_000;

export interface Wish {
  readonly machine: string;
  /** Also where nobody would serve then. */
  readonly force: boolean;
}

export interface Said extends Wish {
  readonly count: number;
}

export const encodeWish = ({ machine, force, count }: Said, ring: string): string =>
  `${ring} ${force ? "force-reboot" : "reboot"} ${machine} ${count}`;

/** Undefined: nothing is wished in this membership. */
export function wishIn(text: string | undefined, ring: string): Said | undefined {
  const [said, verb, machine, count, ...more] = text?.split(" ") ?? [];
  if (said !== ring || machine === undefined || more.length > 0) return undefined;
  if (count === undefined || !/^[0-9]{1,15}$/.test(count)) return undefined;
  return verb === "reboot" || verb === "force-reboot"
    ? { machine, force: verb === "force-reboot", count: Number(count) }
    : undefined;
}

export const sayWish = (said: Said, ring: string, deadline_ms: number): Promise<void> =>
  setAttribute(attribute, encodeWish(said, ring), deadline_ms);

export const withdrawWish = (deadline_ms: number): Promise<void> => dropAttribute(attribute, deadline_ms);

/** What was said on that machine. */
export const wishOf = async (machine: string, ring: string, deadline_ms: number): Promise<Said | undefined> =>
  wishIn(await attributeOf(machine, attribute, deadline_ms), ring);

/** Who asks, for as long as he waits for it. */
export class Asking {
  readonly #say: (said: Said, ring: string) => Promise<void>;
  readonly #now_ms: () => number;
  #asked: { readonly said: Said; readonly ring: string; readonly at_ms: number } | undefined;

  constructor(say: (said: Said, ring: string) => Promise<void>, now: () => number = now_ms) {
    this.#say = say;
    this.#now_ms = now;
  }

  async begin(wish: Wish, ring: string): Promise<void> {
    await this.#next({ ...wish, count: 0 }, ring);
  }

  /** One that can't be said now is said the next time: the machine may have heard it before. */
  async goOn(): Promise<void> {
    const asked = this.#asked;
    if (asked === undefined || this.#now_ms() - asked.at_ms < say_ms) return;
    try {
      await this.#next({ ...asked.said, count: asked.said.count + 1 }, asked.ring);
    } catch (error) {
      failureOf(error);
    }
  }

  end(): void {
    this.#asked = undefined;
  }

  async #next(said: Said, ring: string): Promise<void> {
    await this.#say(said, ring);
    this.#asked = { said, ring, at_ms: this.#now_ms() };
  }
}
