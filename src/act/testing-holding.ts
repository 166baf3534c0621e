import type { Holding } from "../decide/facts.ts";
import type { LogFacts, State } from "./effects.ts";

/** The two places in which a machine keeps what the rules call its holding: duet's own file, and etcd's log. */
export const pick = ({ lineage, full, takeover, left, surrendered, settled }: Holding): State => ({
  lineage,
  full,
  takeover,
  left,
  surrendered,
  settled,
  turn: 0,
  bump: undefined,
});

export const logOf = ({ data, standing, soleVoter, removalInLog, tailLost, others }: Holding): LogFacts => ({
  data,
  standing,
  soleVoter,
  removalInLog,
  tailLost,
  others,
});
