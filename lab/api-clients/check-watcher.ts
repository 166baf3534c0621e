import type { Entry, Item } from "./history.ts";

type Seen = Extract<Entry, { watcher: number }>;

/**
 * One watcher: each ConfigMap that is there at the end was seen once, as made and never as anything else, in the order of the
 * resourceVersions; and how far the watcher was never went back. It begins with a list: without one it watched nothing.
 */
export function judgeWatcher(entries: readonly Seen[], items: readonly Item[]): readonly string[] {
  const made = new Map(items);
  const seen = new Set<string>();
  const problems: string[] = [];
  let at = 0;
  const advance = (version: number, by: string) => {
    if (version < at) problems.push(`the resourceVersion went back from ${at} to ${version}, by ${by}`);
    at = Math.max(at, version);
  };
  for (const entry of entries) {
    switch (entry.kind) {
      case "listed":
        advance(entry.version, "a list");
        // A list at the beginning, and one after 410 Gone, has old and new: what is new counts as seen.
        for (const [name] of entry.items) seen.add(name);
        break;
      case "bookmark":
        advance(entry.version, "a bookmark");
        break;
      case "resumed":
        advance(entry.version, "a watch that was begun again");
        break;
      case "event": {
        const { type, name, version } = entry;
        if (type !== "ADDED") problems.push(`${name} was seen as ${type}, and nobody did that`);
        if (seen.has(name)) problems.push(`${name} was seen twice`);
        else if (version <= at) problems.push(`${name} at ${version} came after ${at}: out of order`);
        if (made.get(name) !== undefined && made.get(name) !== version)
          problems.push(`${name} was seen with ${version}, and has ${made.get(name) ?? ""}`);
        if (!made.has(name)) problems.push(`${name} was seen, and is not there`);
        seen.add(name);
        at = Math.max(at, version);
        break;
      }
    }
  }
  const [first] = entries;
  return [
    ...(first?.kind === "listed" && first.why === "begin" ? [] : ["its first list never came"]),
    ...problems,
    ...items.flatMap(([name]) => (seen.has(name) ? [] : [`${name} is there, and was never seen`])),
  ];
}
