import type { StormFault } from "./faults/fault.ts";
import type { Choices } from "./kernel/choices.ts";
import { label } from "./kernel/label.ts";
import type { Plant } from "./plants.ts";
import { type StormKind, stormKinds } from "./storm-kinds.ts";

const whichKind = label("storm.kind");
const what = label("storm.what");
const preferred = label("storm.preferred");
const surely_ppm = 1_000_000;

/** Any kind; a plant's storms are of its own, which is the plain one where it names none. */
export function pickKind(choices: Choices, { favours, kind }: Plant): StormKind {
  const found =
    favours === undefined
      ? stormKinds[choices.pick(whichKind, stormKinds.length)]
      : stormKinds.find(({ name }) => name === (kind ?? "plain"));
  if (found === undefined) throw new Error(`bug: there is no kind of storm "${kind}"`);
  return found;
}

/**
 * The next fault: one of the list, or with even odds of those that a plant favours. The dice never give none; a shrunk schedule
 * does, so that whole faults can be left out of a story.
 */
export function pickFault(
  choices: Choices,
  faults: readonly StormFault[],
  favours: readonly string[] = [],
): StormFault | undefined {
  const rather = favours.length > 0 && choices.pick(preferred, 2) === 1;
  const list = rather ? favours.map((name) => named(faults, name)) : faults;
  return list[choices.fault(what, list.length + 1, surely_ppm) - 1];
}

function named(faults: readonly StormFault[], name: string): StormFault {
  const found = faults.find((fault) => fault.name === name);
  if (found === undefined) throw new Error(`bug: there is no fault "${name}"`);
  return found;
}
