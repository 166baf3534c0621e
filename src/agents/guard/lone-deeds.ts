import type { Decision } from "../../decide/decision.ts";

const deeds: ReadonlySet<string> = new Set<Decision["do"]>([
  "prove-off",
  "take-over",
  "resume-takeover",
  "start-plain",
  "new-cluster",
]);

/** What the rules would let a lone machine do, and this version of duet does not do yet. */
export const isLoneDeed = (what: string): boolean => deeds.has(what);
