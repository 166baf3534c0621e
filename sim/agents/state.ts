import type { State } from "../../src/act/effects.ts";
import { empty } from "../../src/decide/facts.ts";

/** Duet's file beside the data, where there is none. */
export const noState: State = {
  lineage: empty.lineage,
  full: empty.full,
  takeover: empty.takeover,
  left: empty.left,
  surrendered: empty.surrendered,
  settled: empty.settled,
  turn: undefined,
  bump: undefined,
};

/** Something stands there, and it can't be read: told from the empty one by what it is, not by what it says. */
export const tornState: State = { ...noState };
