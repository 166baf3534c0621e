import { join } from "node:path";
import * as v from "valibot";
import type { Pdu } from "../../site/site.ts";
import { bootKnown, type Known, ownKnown } from "./known.ts";
import type { Ways } from "./ways.ts";

/** What is known of the outlets that feed the peer. */
export class OutletMemory {
  /** By what each is switched: on a machine for the whole boot. */
  readonly #targets: Known<string>;
  /** Those whose last answer to this process was a good one. */
  readonly #answered = new Set<string>();

  constructor(targets: Known<string>) {
    this.#targets = targets;
  }

  target(pdu: Pdu): string | undefined {
    return this.#targets.of(keyOf(pdu));
  }

  /** It let this process in when it was last asked, and can be switched. */
  answers(pdu: Pdu): boolean {
    return this.#answered.has(keyOf(pdu)) && this.target(pdu) !== undefined;
  }

  /** `target`: as it told it, where that was asked for. */
  note(pdu: Pdu, isGood: boolean, target: string | undefined): void {
    const key = keyOf(pdu);
    if (isGood) this.#answered.add(key);
    else this.#answered.delete(key);
    if (target !== undefined && target !== this.#targets.of(key)) this.#targets.note(key, target);
  }
}

const keyOf = ({ url, outlet }: Pdu): string => `${url}${outlet}`;

const kept = new WeakMap<Ways, OutletMemory>();

/** One for all that is done by these ways. */
export function memoryOf(ways: Ways): OutletMemory {
  const known = kept.get(ways);
  if (known !== undefined) return known;
  const run = ways.files?.run;
  const targets =
    run === undefined ? ownKnown<string>() : bootKnown<string>(join(run, "outlet-targets"), target);
  const made = new OutletMemory(targets);
  kept.set(ways, made);
  return made;
}

const target = v.pipe(v.string(), v.startsWith("/"));
