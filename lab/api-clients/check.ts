import type { Entry, Item } from "./history.ts";
import { judgeWatcher } from "./check-watcher.ts";
import { few } from "./few.ts";

/** What must hold of the API's history. Each problem is a sentence; none is the verdict that it is whole. */
export interface Verdict {
  readonly problems: readonly string[];
  readonly acknowledged: number;
  readonly failed: number;
  readonly open: number;
  /** Of the open ones. */
  readonly open_happened: number;
  readonly events: number;
  readonly resumed: number;
  /** Watches that the API could not go on with: 410 Gone. */
  readonly gone: number;
}

interface Write {
  readonly name: string;
  readonly begin_ms: number;
  readonly answer: Extract<Entry, { kind: "answer" }> | undefined;
}

export interface Wanted {
  /** The longest that a call may take. */
  readonly call_ms_max: number;
  /** So many have watched, numbered from 1 on. */
  readonly watchers: number;
  /** A watcher may have been told 410 Gone. It has to read the list anew then, and what came and went in between it never sees. */
  readonly goneAllowed: boolean;
}

export function checkHistory(
  entries: readonly Entry[],
  { call_ms_max, watchers, goneAllowed }: Wanted,
): Verdict {
  const writes = writesOf(entries);
  const found = entries.findLast((entry) => entry.kind === "found");
  const seenBy = (watcher: number) =>
    entries.filter((entry) => "watcher" in entry).filter((entry) => entry.watcher === watcher);
  const gone = entries.filter((entry) => entry.kind === "listed" && entry.why === "gone").length;
  const problems = [
    ...(entries.at(-1)?.kind === "end" ? [] : ["the history has no end: the clients were cut short"]),
    ...few(ends(writes, call_ms_max)),
    ...few(inRealTime(writes)),
    ...(found === undefined
      ? ["nobody could list what is there at the end"]
      : [
          ...few(kept(writes, found.items)),
          ...Array.from({ length: watchers }, (_, index) => index + 1).flatMap((watcher) =>
            few(judgeWatcher(seenBy(watcher), found.items)).map((what) => `watcher ${watcher}: ${what}`),
          ),
        ]),
    ...(gone > 0 && !goneAllowed
      ? [`watchers were told ${gone} times that what came after their version is gone (410)`]
      : []),
  ];
  const count = (outcome: string) => writes.filter(({ answer }) => answer?.outcome === outcome).length;
  const there = new Set(found?.items.map(([name]) => name));
  const seen = (kind: Entry["kind"]) => entries.filter((entry) => entry.kind === kind).length;
  return {
    problems: count("ok") === 0 ? [...problems, "no write was acknowledged"] : problems,
    acknowledged: count("ok"),
    failed: count("failed"),
    open: count("open"),
    open_happened: writes.filter(({ name, answer }) => answer?.outcome === "open" && there.has(name)).length,
    events: seen("event"),
    resumed: seen("resumed"),
    gone,
  };
}

function writesOf(entries: readonly Entry[]): readonly Write[] {
  const answers = new Map(entries.flatMap((each) => (each.kind === "answer" ? [[each.name, each]] : [])));
  return entries.flatMap((each) =>
    each.kind === "call" ? [{ name: each.name, begin_ms: each.at_ms, answer: answers.get(each.name) }] : [],
  );
}

function ends(writes: readonly Write[], call_ms_max: number): readonly string[] {
  return writes.flatMap(({ name, begin_ms, answer }) => {
    if (answer === undefined) return [`the call for ${name} has no end`];
    const took_ms = answer.at_ms - begin_ms;
    return took_ms > call_ms_max ? [`the call for ${name} took ${(took_ms / 1000).toFixed(1)} s`] : [];
  });
}

/** What began after another was acknowledged has a later version. */
function inRealTime(writes: readonly Write[]): readonly string[] {
  const done = writes.flatMap(({ begin_ms, name, answer }) =>
    answer?.outcome === "ok" && answer.version !== undefined
      ? [{ name, begin_ms, end_ms: answer.at_ms, version: answer.version }]
      : [],
  );
  const byEnd = done.toSorted((a, b) => a.end_ms - b.end_ms);
  const problems: string[] = [];
  let [next, newest] = [0, { name: "", version: 0 }];
  for (const write of done.toSorted((a, b) => a.begin_ms - b.begin_ms)) {
    for (let each = byEnd[next]; each !== undefined && each.end_ms < write.begin_ms; each = byEnd[next]) {
      if (each.version > newest.version) newest = each;
      next += 1;
    }
    if (write.version <= newest.version)
      problems.push(
        `${write.name} has resourceVersion ${write.version}, and ${newest.name}, acknowledged before it began, has ${newest.version}`,
      );
  }
  return problems;
}

/** Every acknowledged write is there, as it was answered; what surely failed is not, and nothing that nobody wrote. */
function kept(writes: readonly Write[], items: readonly Item[]): readonly string[] {
  const there = new Map(items);
  const written = new Set(writes.map(({ name }) => name));
  return [
    ...writes.flatMap(({ name, answer }) => {
      const version = there.get(name);
      if (answer?.outcome === "ok" && version === undefined)
        return [`${name} was acknowledged, and is missing`];
      if (answer?.outcome === "ok" && version !== answer.version)
        return [`${name} was acknowledged with ${answer.version ?? "no version"}, and has ${version ?? ""}`];
      return answer?.outcome === "failed" && version !== undefined ? [`${name} failed, and is there`] : [];
    }),
    ...items.flatMap(([name]) => (written.has(name) ? [] : [`${name} is there, and nobody wrote it`])),
  ];
}
