import type { State } from "../act/effects.ts";
import type { Facts } from "../decide/facts.ts";
import { compare, isFullVoter } from "../decide/lineage.ts";
import type { Detail, EventName } from "./entry.ts";
import type { Sight } from "./memory.ts";

export interface News {
  readonly event: EventName;
  readonly detail: Detail;
}
const news = (event: EventName, detail: Detail = {}): News => ({ event, detail });

/** `looked_ms`: when the picture was begun. */
export function sightOf(facts: Facts, looked_ms: number): Sight {
  const { peer } = facts;
  const theirs = peer.seen === "never" ? undefined : peer.facts;
  const leaving = theirs?.left === true || (peer.seen === "now" && peer.leaving);
  return { seen: peer.seen, leaving, whole: isWhole(facts), looked_ms };
}

/** 1+1: both are full voters of the same data, and etcd has a leader. */
function isWhole({ self, peer, etcd }: Facts): boolean {
  if (peer.seen !== "now" || peer.facts === undefined || !etcd.running || !etcd.leader) return false;
  if (!isFullVoter(self) || !isFullVoter(peer.facts)) return false;
  const [mine, theirs] = [self.lineage, peer.facts.lineage];
  return mine !== undefined && theirs !== undefined && compare(mine, theirs) === "same";
}

/**
 * What a picture shows that the one before it did not. `within_ms`: it happened in this time before the entry, at the earliest
 * when the picture before was begun; the first picture of a boot can't tell more than that it was in this boot.
 */
export function sightNews(was: Sight | undefined, is: Sight, now_ms: number): readonly News[] {
  const within: Detail = was === undefined ? {} : { within_ms: Math.round(now_ms - was.looked_ms) };
  const found: News[] = [];
  if (is.seen === "now" && was?.seen !== "now") found.push(news("peer back", within));
  if (is.seen === "before" && was?.seen !== "before")
    found.push(news(was?.leaving === true ? "peer left" : "peer lost", within));
  if (is.whole && was?.whole !== true) found.push(news("1+1", within));
  return found;
}

/** What a write of duet's own file means. `was`: as it was last read; undefined: nobody looked. */
export function stateNews(was: State | undefined, is: State): readonly News[] {
  const found: News[] = [];
  const [before, after] = [was?.takeover, is.takeover];
  const moved = before?.step !== after?.step || before?.epoch !== after?.epoch;
  if (after !== undefined && moved) {
    if (after.step === "intent") found.push(news("takeover begins", { epoch: after.epoch }));
    if (after.step === "served") found.push(news("may have served", { epoch: after.epoch }));
  }
  if (before?.step === "served" && after === undefined)
    found.push(news("takeover ends", { epoch: before.epoch }));
  if (was !== undefined && was.full !== is.full) found.push(news(is.full ? "full" : "not full"));
  if (was?.left === false && is.left) found.push(news("left"));
  if (was !== undefined && is.surrendered !== undefined && was.surrendered !== is.surrendered)
    found.push(news("surrendered", { epoch: is.surrendered }));
  return found;
}
