import { mayServe, type Verdict } from "../../decide/decide.ts";
import type { TableName } from "../../decide/rules.ts";
import type { Detail, EventName } from "../../record/entry.ts";
import type { Part } from "../../record/open.ts";
import { callsSomebody, type Said } from "../status/said.ts";
import type { Event } from "./event.ts";
import { raise } from "./raise.ts";

/** Whose recorder it is. */
export interface Teller {
  readonly me: string;
  readonly peer: string;
  readonly by: Part;
}

type News = Omit<Event, "at_ms">;

/** What duet itself sees and Pacemaker does not know. */
export function eventOf(event: EventName, detail: Detail, teller: Teller): News | undefined {
  const { me, peer } = teller;
  const { epoch } = detail;
  const which = typeof epoch === "number" ? { epoch } : {};
  if (event === "takeover ends") return { kind: "takeover", about: me, ...which };
  if (event === "surrendered") return { kind: "surrendered", about: me, ...which };
  if (event === "false off") return { kind: "false-off", about: peer, by: me };
  return event === "1+1" ? { kind: "whole" } : fenceOf(event, detail, teller);
}

/**
 * How a fence of duet's own ended. Of one that fence_duet made for Pacemaker, Pacemaker tells. A peer that left in order and went off by
 * itself was not switched off by anybody: that it left is told.
 */
function fenceOf(event: EventName, detail: Detail, { me, peer, by }: Teller): News | undefined {
  if (by === "fence") return undefined;
  const { ring, why, went_off } = detail;
  const fence = { about: peer, by: me } as const;
  if (event === "off confirmed" && went_off !== true)
    return { kind: "fence-done", ...fence, ...(typeof ring === "string" ? { ring } : {}) };
  if (event !== "fence failed") return undefined;
  return { kind: "fence-failed", ...fence, ...(typeof why === "string" ? { why } : {}) };
}

/** For a recorder: what it writes down, people may be told. */
export const telling =
  (teller: Teller, tell: typeof raise = raise) =>
  (event: EventName, detail: Detail): void => {
    const news = eventOf(event, detail, teller);
    if (news !== undefined) tell(news);
  };

/**
 * What was decided lets this machine serve alone, and can't be carried out: no rule calls anybody then, and nobody serves. Gives whether people
 * were told.
 */
export function tellDark(
  me: string,
  start: Pick<Verdict, "decision" | "rule"> | undefined,
  peerIsHere: boolean,
  why: string,
  tell: typeof raise = raise,
): boolean {
  // Beside its peer a machine only starts again: others serve, or a rule calls.
  if (start === undefined || !mayServe(start.decision)) return false;
  if (peerIsHere && start.decision.do === "start-plain") return false;
  tell({
    kind: "human-needed",
    about: me,
    why: `it is to serve alone (${start.rule}), and has not come to it for minutes: ${why}`,
    rule: "DUET-E-STATUS-UNFINISHED",
  });
  return true;
}

/** A decision that calls a person, unless the one before it did with the same rule. To be called before it is noted in `said`. */
export function tellVerdict(
  me: string,
  question: TableName,
  { rule, decision, sentence }: Verdict,
  said: Pick<Said, "all">,
  tell: typeof raise = raise,
): void {
  if (!callsSomebody.has(decision.do)) return;
  const before = said.all()[question];
  if (before?.rule === rule && callsSomebody.has(before.do)) return;
  tell({ kind: "human-needed", about: me, why: sentence, rule, question });
}
