import { type AdminWord, adminWords } from "./admin.ts";
import type { DecisionBody, Told } from "./entry.ts";
import { episodesOf } from "./episode.ts";
import { phasesOf } from "./phases.ts";
import { type Placed, type Scene, sceneOf } from "./scene.ts";
import { segmentsOf, wallAt_ms } from "./segment.ts";
import type { Failover, Phase, Story, TurnOfEvents } from "./timeline.ts";

const turns_max = 30;
const words_max = 10;

/** The last failovers of these entries, the oldest first. */
export const failovers = (entries: readonly Told[], last: number): readonly Failover[] =>
  storyOf(entries, last).failovers;

/** The last failovers, and the words that belong to none: neither to these nor to one before them. */
export function storyOf(entries: readonly Told[], last: number): Story {
  const segments = segmentsOf(entries);
  const words = adminWords(entries);
  const left = new Map(words);
  const episodes = episodesOf(segments);
  const found: Failover[] = [];
  for (const [index, episode] of episodes.entries()) {
    const isShown = index >= episodes.length - last;
    if (!isShown && left.size === 0) continue;
    const scene = sceneOf(episode, segments);
    const phases = phasesOf(scene, words);
    const spoken = spokenIn(scene, words, endOf(phases));
    for (const { entry } of spoken) left.delete(entry);
    if (isShown) found.push(told(scene, phases, spoken));
  }
  const outside = [...left.values()].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return { failovers: found, ...newest(outside) };
}

/** When it was over; what is not whole again goes on. */
const endOf = (phases: readonly Phase[]): number =>
  phases.find(({ name }) => name === "1+1")?.at_ms ?? Number.POSITIVE_INFINITY;

function told(scene: Scene, phases: readonly Phase[], spoken: readonly Spoken[]): Failover {
  const { episode, survivor, gone, placed, clocks } = scene;
  const end_ms = endOf(phases);
  const turns = turnsOf(placed, end_ms);
  return {
    survivor,
    gone,
    epoch: episode.epoch,
    at: new Date(wallAt_ms(episode.segment, episode.zero_ms)).toISOString(),
    phases,
    turns: turns.slice(0, turns_max),
    turns_more: Math.max(0, turns.length - turns_max),
    ...newest(spoken.map(({ at_ms, word }) => ({ at_ms, ...word }))),
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

type Spoken = Placed & { readonly word: AdminWord };

/** What is said when two are whole again is about something else. */
const spokenIn = (
  { placed }: Scene,
  words: ReadonlyMap<Told, AdminWord>,
  end_ms: number,
): readonly Spoken[] =>
  placed.flatMap((each) => {
    const word = each.at_ms <= end_ms ? words.get(each.entry) : undefined;
    return word === undefined ? [] : [{ ...each, word }];
  });

const newest = <T>(words: readonly T[]): { readonly words: readonly T[]; readonly words_more: number } => ({
  words: words.slice(-words_max),
  words_more: Math.max(0, words.length - words_max),
});

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
