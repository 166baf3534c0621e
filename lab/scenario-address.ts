import { sleep } from "../src/machine/clock.ts";
import { type MachineName, machine_names } from "../src/scenario/slots.ts";
import type { Doing, Seen } from "../src/scenario/world.ts";
import { firstOnBoth, lived, longestBlind_ms, type Look, moveAfter } from "./address-looks.ts";
import { AddressWatch, holders } from "./address-watch.ts";
import { cutWire, healWire } from "./fault-commands.ts";
import { recordOf } from "./records.ts";
import type { Eyes } from "./scenario-eyes.ts";
import type { Stage } from "./scenario-stage.ts";

const look_ms = 100;
/** A watch that saw nothing for longer may have missed what it is for. */
const blind_ms_max = 5_000;

/** The API's virtual IP in a scenario, as the machines' interfaces have it. */
export class Address {
  readonly #stage: Stage;
  readonly #watch = new AddressWatch();
  #marked_ms: number | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** From here on it is followed, where the site has one; and whether the machines live, also where it has none. */
  async begin(): Promise<void> {
    const lab = await this.#stage.lab();
    if (lab.site.kubernetes !== undefined) this.#watch.begin(lab);
  }

  close(): Promise<void> {
    return this.#watch.close();
  }

  /** Something is about to be taken away: a move is timed from here. */
  mark(): void {
    this.#marked_ms = Date.now();
  }

  /** Nobody, while it moves. */
  async holder(): Promise<MachineName | undefined> {
    const [first, ...more] = await holders(await this.#stage.lab());
    return more.length === 0 ? first : undefined;
  }

  async onOne(): Promise<Seen> {
    const [first, ...more] = await holders(await this.#stage.lab());
    if (first === undefined) return { ok: false, seen: "no machine has it" };
    return { ok: more.length === 0, seen: `${[first, ...more].join(" and ")} has it` };
  }

  /** Of the machines, as far as the watch goes. */
  lived(machine: string, from_ms: number, to_ms: number): boolean {
    return lived(this.#watch.looks, machine, from_ms, to_ms);
  }

  neverOnBoth(): Seen {
    return judgeNeverOnBoth(this.#watch.looks, this.#watch.failed);
  }

  /** Who had it then may be gone with it. */
  notTaken(): Seen {
    return judgeNotTaken(this.#watch.looks, this.#marked_ms, this.#watch.failed);
  }

  /** The recorder of who has it now tells when. */
  async afterOff(bound_ms?: number): Promise<Seen> {
    const move = this.#marked_ms === undefined ? undefined : moveAfter(this.#watch.looks, this.#marked_ms);
    const told = move === undefined ? [] : await recordOf(await this.#stage.lab(), move.to);
    const offs_ms = told.flatMap((entry) =>
      entry.kind === "event" && entry.event === "off confirmed" ? [Date.parse(entry.at)] : [],
    );
    return judgeAfterOff(this.#watch.looks, this.#marked_ms, offs_ms, bound_ms);
  }

  /** The step before may have seen it by a look of its own, a moment ahead of the watch. */
  async movedIn(bound_ms: number): Promise<Seen> {
    const asked_ms = Date.now();
    const seenSince = () =>
      new Set(this.#watch.looks.filter(({ at_ms }) => at_ms > asked_ms).map((l) => l.machine));
    while (seenSince().size < machine_names.length && Date.now() - asked_ms < blind_ms_max)
      await sleep(look_ms);
    return judgeMove(this.#watch.looks, this.#marked_ms, bound_ms);
  }
}

/** A watch that broke off, was blind for long, or never saw the address has not seen that it was never on both. */
export function judgeNeverOnBoth(looks: readonly Look[], failed: string | undefined): Seen {
  const both = firstOnBoth(looks);
  if (both !== undefined)
    return { ok: false, seen: `both had it at ${new Date(both.at_ms).toISOString().slice(11, 23)}` };
  if (failed !== undefined) return { ok: false, seen: `nobody looked any more: ${failed}` };
  const blind_ms = longestBlind_ms(looks);
  if (blind_ms > blind_ms_max)
    return { ok: false, seen: `nobody looked for ${(blind_ms / 1000).toFixed(1)} s` };
  if (!looks.some(({ holds }) => holds)) return { ok: false, seen: "it was never seen on any machine" };
  return { ok: true, seen: `by ${looks.length} looks, at most ${(blind_ms / 1000).toFixed(1)} s apart` };
}

export function judgeMove(looks: readonly Look[], since_ms: number | undefined, bound_ms: number): Seen {
  const move = since_ms === undefined ? undefined : moveAfter(looks, since_ms);
  if (move === undefined) return { ok: false, seen: "it has not moved" };
  const { from, to, after_ms } = move;
  return { ok: after_ms <= bound_ms, seen: `from ${from} to ${to} in ${(after_ms / 1000).toFixed(2)} s` };
}

/** The first Off since then, and the first look at the other machine with the address: both by the box's one clock. Without a bound it may take its time. */
export function judgeAfterOff(
  looks: readonly Look[],
  since_ms: number | undefined,
  offs_ms: readonly number[],
  bound_ms = Number.POSITIVE_INFINITY,
): Seen {
  const move = since_ms === undefined ? undefined : moveAfter(looks, since_ms);
  if (since_ms === undefined || move === undefined) return { ok: false, seen: "it has not moved" };
  const off_ms = offs_ms.filter((at_ms) => at_ms >= since_ms).toSorted((a, b) => a - b)[0];
  if (off_ms === undefined) return { ok: false, seen: `${move.to} has noted no Off` };
  const behind_ms = since_ms + move.after_ms - off_ms;
  const apart = `${(Math.abs(behind_ms) / 1000).toFixed(2)} s`;
  return behind_ms >= 0
    ? { ok: behind_ms <= bound_ms, seen: `on ${move.to} ${apart} after Off was confirmed` }
    : { ok: false, seen: `on ${move.to} ${apart} before Off was confirmed` };
}

/** Of a watch that has looked since then, and that knows who had it. */
export function judgeNotTaken(
  looks: readonly Look[],
  since_ms: number | undefined,
  failed: string | undefined,
): Seen {
  if (since_ms === undefined) return { ok: false, seen: "nothing was taken away" };
  if (failed !== undefined) return { ok: false, seen: `nobody looked any more: ${failed}` };
  const holder = looks.findLast(({ at_ms, holds }) => holds && at_ms <= since_ms)?.machine;
  if (holder === undefined) return { ok: false, seen: "it was on no machine before" };
  const others = looks.filter(({ at_ms, machine }) => at_ms > since_ms && machine !== holder);
  const taken = others.find(({ holds }) => holds);
  if (taken !== undefined)
    return {
      ok: false,
      seen: `${taken.machine} had it at ${new Date(taken.at_ms).toISOString().slice(11, 23)}`,
    };
  return {
    ok: others.length > 0,
    seen: others.length > 0 ? `by ${others.length} looks at the other machine` : "nobody has looked since",
  };
}

/** What a scenario says of it. */
export function addressWords(address: Address, eyes: Eyes, name: string) {
  // The network of a lab's address is that of its first link.
  const cable = (machine: MachineName): string => `${machine}:link1`;
  return {
    "unplug-address": async ({ machine }) => {
      address.mark();
      await cutWire(name, cable(machine), undefined);
      return { ok: true, seen: "" };
    },
    "plug-address": async ({ machine }) => {
      await healWire(name, cable(machine), undefined);
      return { ok: true, seen: "" };
    },
    "until-address": ({ machine, within_ms }) =>
      eyes.until(
        `the address is not on ${machine} alone`,
        within_ms,
        async () => (await address.holder()) === machine,
        look_ms,
      ),
    "expect-address-one": () => address.onOne(),
    "expect-address-never-both": async () => address.neverOnBoth(),
    "expect-address-not-taken": async () => address.notTaken(),
    "expect-address-after-off": () => address.afterOff(),
    "expect-address-soon-after-off": ({ duration }) => address.afterOff(duration),
    "expect-address-moved": ({ duration }) => address.movedIn(duration),
  } as const satisfies Doing;
}
