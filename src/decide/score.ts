/** Where a log ends. */
export interface LogEnd {
  readonly term: number;
  readonly index: number;
}

const first = 10;
const second = 5;

/**
 * The promotion score: the newer log has the higher one. It is told only while etcd runs, so it starts nobody first, and decides
 * nothing: who leads is raft's election, which only a log that is as new as the other's can win. Undefined: not to be promoted.
 * With no word of the other's log nobody waits.
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
