import type { Facts } from "./facts.ts";
import { chosen } from "./choice.ts";
import { heard, isFullVoter, rank, surrenderEpoch } from "./lineage.ts";
import { always, type Table } from "./rule.ts";

/** Must this machine keep its data, whatever hinders its etcd? */
export function isLastCopy(facts: Facts): boolean {
  const theirs = heard(facts);
  // What a machine that leaves said of itself is from before its removal, which may have gone through.
  if (facts.peer.seen === "now" && facts.peer.leaving) return true;
  // What keeps both from starting (a certificate, a wrong setting) is mended; with both given up nobody would start then.
  if (facts.peer.seen === "now" && !facts.peer.running) return true;
  if (theirs === undefined || theirs.surrendered !== undefined || !isFullVoter(theirs)) return true;
  const order = rank(facts.self.lineage, theirs.lineage);
  return order === "higher" || order === "tie" || facts.self.soleVoter;
}

/** So many starts in place fail before the data is given up for the peer's. */
export const failed_starts_max = 3;

export const etcdTable: Table = {
  name: "etcd",
  question: "My etcd does not run: what now?",
  design: "3.5",
  rules: [
    {
      id: "R-ETCD-RUNS",
      sentence: "etcd runs on {me}, or its data was given up: nothing is to be started",
      when: (facts) =>
        facts.etcd.running || (facts.self.surrendered !== undefined && chosen(facts) !== "self"),
      decide: ({ etcd }) => ({ do: etcd.running ? "serve-as-is" : "wait" }),
    },
    {
      id: "R-ETCD-RESTART",
      sentence: "etcd on {me} ended: it is started again where it is, before {peer} is troubled",
      when: ({ etcd }) => etcd.failedStarts < failed_starts_max,
      decide: () => ({ do: "restart-in-place" }),
    },
    {
      id: "R-ETCD-ALONE",
      sentence:
        "etcd on {me} does not start, and {peer} is not here to go on without it: see `journalctl -u duet-etcd` for why and mend that; it is tried again each minute",
      when: ({ peer }) => peer.seen !== "now",
      decide: () => ({ do: "needs-human" }),
    },
    {
      id: "R-ETCD-LAST-COPY",
      sentence:
        "etcd on {me} does not start, and {peer} is no full voter of the same data, or is leaving, or its own etcd does not run, so what {me} holds must not be given up: see `journalctl -u duet-etcd` for why and mend that; it is tried again each minute",
      when: isLastCopy,
      decide: () => ({ do: "needs-human" }),
    },
    {
      id: "R-ETCD-GIVE-UP",
      sentence:
        "etcd on {me} does not start, and {peer} is a full voter: {me} gives its data up, so that {peer} may serve",
      when: always,
      decide: (facts) => ({ do: "surrender", epoch: surrenderEpoch(facts) }),
    },
  ],
};
