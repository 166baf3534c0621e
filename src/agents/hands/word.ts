import { done, type Outcome } from "../../act/effects.ts";
import { differ, isOpen, type Sides, turned } from "../../decide/choice.ts";
import type { Choice, Word } from "../../decide/facts.ts";
import * as pacemaker from "../../machine/attributes.ts";
import { now_ms } from "../../machine/clock.ts";
import type { Saying } from "./attributes.ts";
import { decodeChoice, encodeChoice } from "./choice-text.ts";
import { wordIn } from "./memory.ts";
import { failureOf } from "./outcome.ts";
import { membershipNow } from "./quorum.ts";

/** A choice between two data is one of both machines': said on one, it is heard by the other. */
const chosenAttribute = "duet-chosen";
const call_ms = 3_000;

/**
 * What an admin has said in this membership: here, and where the two have something to choose between (`sides`; undefined: the peer is not here) also
 * a choice that was said on the peer. A choice that is over contradicts nothing; two that count, and contradict each other, are none. In another membership,
 * and after a boot, nothing of it counts.
 */
export async function wordNow(saying: Saying, ring: string, sides: Sides | undefined): Promise<Word> {
  const own = wordIn(saying.memory.read(), ring);
  if (sides?.theirs === undefined || !differ(sides.self, sides.theirs)) return own;
  const mine = openOf(own.choose, sides);
  const theirs = openOf(await choiceSaidThere(saying, ring), sides);
  if (mine !== undefined && theirs !== undefined && mine.of !== theirs.of)
    return { ...own, choose: undefined };
  // Said once more on the other machine, it accepts what was shown there.
  const both = mine !== undefined && theirs !== undefined;
  return { ...own, choose: both ? { ...mine, tags: [...mine.tags, ...theirs.tags] } : (mine ?? theirs) };
}

const openOf = (choice: Choice | undefined, sides: Sides): Choice | undefined =>
  choice !== undefined && isOpen(choice, sides) ? choice : undefined;

/** What was chosen on the peer, as this machine sees it; undefined: nothing, or it can't be asked. */
export async function choiceSaidThere(saying: Saying, ring: string): Promise<Word["choose"]> {
  const { pacemaker: door = pacemaker, peerName } = saying;
  try {
    const text = await door.attributeOf(peerName, chosenAttribute, call_ms);
    const said =
      text?.startsWith(`${ring} `) === true ? decodeChoice(text.slice(ring.length + 1)) : undefined;
    return said === undefined ? undefined : turned(said);
  } catch (error) {
    failureOf(error);
    return undefined;
  }
}

/** Notes the word for this membership, beside what was said in it before. False: the membership is another by now. */
export async function speak(saying: Saying, ring: string, said: Partial<Word>): Promise<boolean> {
  const seen = await membershipNow(saying);
  if (seen.ring !== ring) return false;
  await saying.memory.change((was) => ({
    ...was,
    spoken: { ring, word: { ...wordIn(was, ring), ...said } },
  }));
  return true;
}

/** Tells the peer, too, whose data was chosen, and between what. */
export async function tellChoice(saying: Saying, ring: string, choice: Choice): Promise<Outcome> {
  const { pacemaker: door = pacemaker } = saying;
  const end_ms = now_ms() + call_ms;
  try {
    const seen = await membershipNow(saying);
    if (!seen.peer || seen.ring !== ring)
      return { ok: false, failure: { kind: "changed", said: "the peer is not here any more" } };
    await door.setAttribute(
      chosenAttribute,
      `${ring} ${encodeChoice(choice)}`,
      Math.max(1, end_ms - now_ms()),
    );
    return done;
  } catch (error) {
    return failureOf(error);
  }
}
