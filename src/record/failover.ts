import type { DecisionBody, Told } from "./entry.ts";
import { episodesOf } from "./episode.ts";
import { phasesOf } from "./phases.ts";
import { type Placed, type Scene, sceneOf } from "./scene.ts";
import { segmentsOf, wallAt_ms } from "./segment.ts";
import type { Failover, TurnOfEvents } from "./timeline.ts";

const turns_max = 30;
const words_max = 10;

/** The last failovers of these entries, the oldest first. */
export function failovers(entries: readonly Told[], last: number): readonly Failover[] {
  const segments = segmentsOf(entries);
  return episodesOf(segments)
    .slice(-last)
    .map((episode) => told(sceneOf(episode, segments)));
}

function told(scene: Scene): Failover {
  const { episode, survivor, gone, placed, clocks } = scene;
  const phases = phasesOf(scene);
  // What is not whole again goes on.
  const end_ms = phases.find(({ name }) => name === "1+1")?.at_ms ?? Number.POSITIVE_INFINITY;
  const turns = turnsOf(placed, end_ms);
  return {
    survivor,
    gone,
    epoch: episode.epoch,
    at: new Date(wallAt_ms(episode.segment, episode.zero_ms)).toISOString(),
    phases,
    turns: turns.slice(0, turns_max),
    turns_more: Math.max(0, turns.length - turns_max),
    words: wordsOf(placed),
    cutShort: cutShort(placed),
    clocks: clocks.filter(({ from_ms }) => from_ms <= end_ms),
    missing: missing(scene),
  };
}

const isDecision = (placed: Placed): placed is Placed<Told<DecisionBody>> => placed.entry.kind === "decision";

/** What is decided over and over is one turn; so is what is decided after 1+1, which is peace. */
function turnsOf(placed: readonly Placed[], end_ms: number): readonly TurnOfEvents[] {
  const last = new Map<string, string>();
  const found: TurnOfEvents[] = [];
  for (const each of placed.filter(isDecision)) {
    const { machine, boot, question, rule, decision, sentence } = each.entry;
    const key = `${machine} ${boot} ${question}`;
    if (last.get(key) === rule || each.at_ms < 0 || each.at_ms > end_ms) continue;
    last.set(key, rule);
    found.push({ at_ms: each.at_ms, machine, question, rule, decision: decision.do, sentence });
  }
  return found;
}

function wordsOf(placed: readonly Placed[]): Failover["words"] {
  const found = placed.flatMap(({ at_ms, entry }) =>
    entry.kind === "event" && entry.event === "admin"
      ? [{ at_ms, who: String(entry.detail["who"]), said: String(entry.detail["said"]) }]
      : [],
  );
  return found.slice(-words_max);
}

/** A process that was killed in a step wrote no end of it; nor has one that is still in it. */
function cutShort(placed: readonly Placed[]): Failover["cutShort"] {
  const open = new Map<string, Failover["cutShort"][number]>();
  for (const { at_ms, entry } of placed) {
    if (entry.kind !== "step" || at_ms < 0) continue;
    const key = `${entry.machine} ${entry.boot} ${entry.by} ${entry.pid}`;
    if (entry.edge === "begin") open.set(key, { at_ms, machine: entry.machine, step: entry.step });
    else open.delete(key);
  }
  return [...open.values()];
}

function missing({ episode, bothTell, gone, survivor }: Scene): readonly string[] {
  const found: string[] = [];
  if (!bothTell)
    found.push(
      `${gone}'s record is not among the files: what only ${gone} saw (caught up, full) is not told`,
    );
  if (episode.detected_ms === undefined)
    found.push(`${survivor} did not lose ${gone} in this boot: times are from the beginning of the takeover`);
  return found;
}
