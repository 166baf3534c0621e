/** What each check promises, in a sentence: what was broken when it fails. */
const promises: Readonly<Record<string, string>> = {
  "one dataset": "whatever is served shows the same writes at the same revisions as every answer before it",
  "revisions never go back": "what begins after an answer was seen never shows an older state",
  linearizable: "a read sees the newest write of its key, and a write is where it was acknowledged",
  "log matching": "what was committed at an index stays there",
  "election safety": "a term has one leader",
  "leader completeness": "who leads holds everything that was ever committed",
  "state machine safety": "nobody applies something else at the same place",
  "two serve": "never do two machines each serve a cluster of one",
  "both fenced":
    "never do two machines switch each other off, unless people told both to that have not met since they booted, or a BMC showed Off of the one that ran",
  "older lineage": "nobody leads with data of an older epoch than one that was led with before",
  "last copy": "no machine gives up the last copy of what was acknowledged",
  "both copies gone": "some disk holds everything that was acknowledged",
  "fence loop":
    "no machine that was fenced boots and fences back, and once the faults are over nobody is switched off again and again",
  "fenced out of service": "no machine commands off the only voter of a cluster that it has no vote in",
  "claim for nothing":
    "no machine is kept from its data by a takeover that was begun while it was on, and that never served",
  "serves alone":
    "a machine whose peer is gone for good serves alone, with a person's word where it needs one",
  "a reason that is not true":
    "where a machine waits, stops or calls for a person, the reason that it gives is true",
  "whole at first": "two new machines become 1+1",
  "whole again": "once the faults are over the pair becomes 1+1 again, without a person's decision",
};

export const promiseOf = (check: string): string | undefined => promises[check];
