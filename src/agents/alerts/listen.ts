import type { Verdict } from "../../decide/decide.ts";
import type { TableName } from "../../decide/rules.ts";
import type { Detail, EventName } from "../../record/entry.ts";
import { callsSomebody, type Said } from "../status/said.ts";
import type { Event } from "./event.ts";
import { raise } from "./raise.ts";

/** What duet itself sees and Pacemaker does not know. */
export function eventOf(event: EventName, { epoch }: Detail, me: string): Omit<Event, "at_ms"> | undefined {
  const which = typeof epoch === "number" ? { epoch } : {};
  if (event === "takeover ends") return { kind: "takeover", about: me, ...which };
  if (event === "surrendered") return { kind: "surrendered", about: me, ...which };
  return event === "1+1" ? { kind: "whole" } : undefined;
}

/** For a recorder: what it writes down, people may be told. */
export const telling =
  (me: string, tell: typeof raise = raise) =>
  (event: EventName, detail: Detail): void => {
    const news = eventOf(event, detail, me);
    if (news !== undefined) tell(news);
  };

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
