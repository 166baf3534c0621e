import { type Label, label, labelCount } from "./label.ts";

/** A choice that was not the harmless one: the nth of its label. */
export interface Choice {
  readonly label: string;
  readonly nth: number;
  readonly value: number;
}

/**
 * Everything that makes one run differ from another. Without `choices` the dice decide; with them, only these happen and every
 * other choice is the harmless one, whatever the seed says. That is what makes a schedule shrinkable.
 */
export interface Schedule {
  readonly seed: number;
  readonly choices?: readonly Choice[];
}

const million = 1_000_000;

/**
 * The dice. A value is a hash of seed, label and how often the label was asked before, and of nothing else: one choice more or
 * less of one kind leaves all other kinds as they were.
 */
export class Choices {
  readonly seed: number;
  /** What was chosen and was not harmless, in order. */
  readonly taken: Choice[] = [];
  readonly #low: number;
  readonly #high: number;
  #counts: Int32Array;
  readonly #fixed: ReadonlyMap<number, ReadonlyMap<number, number>> | undefined;

  constructor(schedule: Schedule) {
    this.seed = schedule.seed;
    this.#low = schedule.seed >>> 0;
    this.#high = Math.floor(schedule.seed / 2 ** 32) >>> 0;
    this.#counts = new Int32Array(labelCount());
    this.#fixed = schedule.choices === undefined ? undefined : index(schedule.choices);
  }

  /** 0 to n-1, evenly. For times and the like: never shrunk, hence not recorded. */
  jitter(of: Label, n: number): number {
    return n <= 1 ? 0 : this.#dice(of, this.#count(of)) % n;
  }

  /** 0, the harmless answer, or with these odds in a million 1 to n-1. */
  fault(of: Label, n: number, odds_ppm: number): number {
    const nth = this.#count(of);
    let value: number;
    if (this.#fixed !== undefined) value = Math.min(this.#fixed.get(of.slot)?.get(nth) ?? 0, n - 1);
    else {
      const dice = this.#dice(of, nth);
      if (dice % million >= odds_ppm) return 0;
      value = n <= 2 ? 1 : 1 + (mix(dice ^ 0x5bd1e995) % (n - 1));
    }
    if (value > 0) this.taken.push({ label: of.name, nth, value });
    return value;
  }

  /** 0 to n-1 evenly, recorded: the shape of a run. 0 should be the plainest. */
  pick(of: Label, n: number): number {
    return n <= 1 ? 0 : this.fault(of, n, Math.floor(((n - 1) * million) / n));
  }

  #count(of: Label): number {
    if (of.slot >= this.#counts.length) {
      const more = new Int32Array(labelCount());
      more.set(this.#counts);
      this.#counts = more;
    }
    const nth = this.#counts[of.slot] ?? 0;
    this.#counts[of.slot] = nth + 1;
    return nth;
  }

  #dice(of: Label, nth: number): number {
    return mix(mix(mix(this.#low ^ of.hash) ^ this.#high) + Math.imul(nth, 0x9e3779b9));
  }
}

/** The finish of MurmurHash3: every bit of the input moves half of the output's. */
function mix(value: number): number {
  let h = value >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function index(choices: readonly Choice[]): ReadonlyMap<number, ReadonlyMap<number, number>> {
  const found = new Map<number, Map<number, number>>();
  for (const choice of choices) {
    const { slot } = label(choice.label);
    const nths = found.get(slot) ?? new Map<number, number>();
    nths.set(choice.nth, choice.value);
    found.set(slot, nths);
  }
  return found;
}
