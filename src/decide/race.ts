import { windowOf_ms } from "../base/turn.ts";

/**
 * The race to fence, when both machines live and neither hears the other. Time since the loss is cut into rounds of three turns.
 * A machine commands Off only in the window at the beginning of its own turn, whatever made it late; the rest of the turn has room
 * for a fence at its slowest: so two that hold different turns never command at the same time, and the later one is off before it
 * could.
 *
 * The turn is a stored value. Were it worked out when the wire is cut, from who leads, both would see that nobody does.
 */
export type Turn = 0 | 1 | 2;
export const turns = 3;

/** How long until this machine may command Off; 0: now. */
export function untilTurn_ms(sinceLoss_ms: number, turn: Turn, turn_ms: number): number {
  const round_ms = turns * turn_ms;
  const into_ms = (sinceLoss_ms + (turns - turn) * turn_ms) % round_ms;
  return into_ms < windowOf_ms(turn_ms) ? 0 : round_ms - into_ms;
}

/**
 * The turn to take next; undefined: stay. A machine moves only from right before its peer's turn to right after it, and after
 * that it is the other's move. So there is one machine at most that may move, whatever the two believe about who is preferred,
 * and however old their news are: never do both hold the same turn, nor would they if a crash kept one of them where it was.
 *
 * A swap that has begun goes on to its end: 0 and 1, 2 and 1, 2 and 0, 1 and 0.
 */
export function nextTurn(
  mine: Turn | undefined,
  theirs: Turn | undefined,
  peerFirst: boolean,
): Turn | undefined {
  if (theirs === undefined) return undefined;
  // A new disk knows no turn: neither the peer's, nor the one that the peer may be moving to.
  if (mine === undefined) return before(before(theirs));
  if (mine !== before(theirs)) return undefined;
  return mine === 0 && !peerFirst ? undefined : before(mine);
}

const before = (turn: Turn): Turn => (turn === 0 ? 2 : turn === 1 ? 0 : 1);

/** Of a new site: whose name comes first goes first. */
export const firstTurn = (me: string, peerName: string): Turn => (me < peerName ? 0 : 1);
