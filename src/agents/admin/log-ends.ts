import { DuetError } from "../../base/problem.ts";
import type { LogEnd } from "../../decide/score.ts";
import { readMemberFacts } from "../../facts/facts.ts";
import type { MemoryFile } from "../hands/memory.ts";
import type { LogEnds } from "./shown.ts";

/** Only for a person to see: no rule goes by it. The peer's is the last that it told in this boot, if it told one. */
export const logEndsNow = (data: string, memory: Pick<MemoryFile, "read">): LogEnds => ({
  mine: ownEnd(data),
  theirs: memory.read().remembered.heard?.logEnd,
});

/** By its files, also under an etcd that runs without a leader: that writes nothing. What can't be read stops nobody here. */
function ownEnd(data: string): LogEnd | undefined {
  try {
    return readMemberFacts(data)?.last;
  } catch (error) {
    if (error instanceof DuetError) return undefined;
    throw error;
  }
}
