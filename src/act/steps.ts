import { done, type Effects, type Failure, type Outcome, type State } from "./effects.ts";

/** How a machine of steps ended. `why` is for the operator; the next decision is made anew, from the world as it then is. */
export type End = { readonly done: true } | { readonly done: false; readonly why: string };

/**
 * A machine of steps yields the name of each step before it does it, so that whoever drives it can stop, or die, between any
 * two. It keeps nothing: where it was is seen again from disk and world, and what is done already is passed over.
 */
export type Steps = AsyncGenerator<string, End, void>;

export const ended: End = { done: true };
export const given = (what: string, { said }: Failure): End => ({ done: false, why: `${what}: ${said}` });
export const stopped = (why: string): End => ({ done: false, why });

/** Changes part of the state. `from` must still hold of it: between decision and write somebody else may have written. */
export async function changeState(
  { disk }: Effects,
  from: (state: State) => boolean,
  change: (state: State) => State,
): Promise<Outcome> {
  const read = await disk.readState();
  if (!read.ok) return read;
  if (!from(read.value))
    return { ok: false, failure: { kind: "changed", said: "duet's file has changed since it was decided" } };
  return await disk.writeState(change(read.value));
}

/**
 * For who gives its data up in any case, and must be able to write that down: duet's file may be torn. What it said is then lost
 * as with a lost disk, and nobody may be kept from its way back by that.
 */
export async function* readableState({ disk }: Effects): AsyncGenerator<string, Outcome, void> {
  const read = await disk.readState();
  if (read.ok) return done;
  if (read.failure.kind !== "failed") return read;
  yield "keep duet's torn file aside";
  return await disk.setStateAside();
}

export const anyState = (): boolean => true;

/** To the end, with nobody watching. Bounded: each machine is. */
export async function runSteps(steps: Steps, log: (step: string) => void = () => {}): Promise<End> {
  for (;;) {
    const next = await steps.next();
    if (next.done === true) return next.value;
    log(next.value);
  }
}
