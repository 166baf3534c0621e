/** Where a log ends. */
export interface LogEnd {
  readonly term: number;
  readonly index: number;
}

const first = 10;
const second = 5;

/**
 * The promotion score, which orders promotions where Pacemaker's `ordered` does not: the newer log goes first, so that the
 * first to stand for election can win it. Undefined: not to be promoted. With no word of the other's log nobody waits.
 */
export function promotionScore(
  mayServe: boolean,
  mine: LogEnd | undefined,
  theirs: LogEnd | undefined,
): number | undefined {
  if (!mayServe) return undefined;
  if (mine === undefined || theirs === undefined) return first;
  const older = mine.term < theirs.term || (mine.term === theirs.term && mine.index < theirs.index);
  return older ? second : first;
}
