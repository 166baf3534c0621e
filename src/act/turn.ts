import { firstTurn, nextTurn, type Turn } from "../decide/race.ts";
import type { Effects } from "./effects.ts";
import { publishFacts } from "./publish.ts";
import { changeState, ended, given, type Steps } from "./steps.ts";
import type { Times } from "./times.ts";

/** What is asked of the race while the pair is whole. */
export interface TurnQuestion {
  readonly me: string;
  readonly peerName: string;
  readonly mine: Turn | undefined;
  /** As the peer published it in this membership. */
  readonly theirs: Turn | undefined;
  readonly peerFirst: boolean;
  readonly firstStart: boolean;
}

/** The turn that this machine should take now; undefined: it keeps the one it has. */
export function wantedTurn({ me, peerName, mine, theirs, peerFirst, firstStart }: TurnQuestion) {
  // Before the first start nobody has a turn, and nobody may fence: both take theirs by name.
  if (mine === undefined && firstStart) return firstTurn(me, peerName);
  return nextTurn(mine, theirs, peerFirst);
}

/** On disk before the peer hears of it: the peer's next move counts on it. */
export async function* takeTurn(effects: Effects, times: Times, from: Turn | undefined, to: Turn): Steps {
  yield "write the new turn in the race";
  const state = await changeState(
    effects,
    ({ turn }) => turn === from,
    (was) => ({ ...was, turn: to }),
  );
  if (!state.ok) return given("duet's file", state.failure);
  yield "tell the peer";
  const told = await publishFacts(effects, times);
  return told.ok ? ended : given("the peer", told.failure);
}
