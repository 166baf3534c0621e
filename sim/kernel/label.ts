/** The name of a kind of choice. Its hash, not its place in some list, goes into the dice: adding a label moves no other. */
export interface Label {
  readonly name: string;
  readonly hash: number;
  /** Where its counter is kept during a run. */
  readonly slot: number;
}

const known = new Map<string, Label>();

export function label(name: string): Label {
  const before = known.get(name);
  if (before !== undefined) return before;
  const made: Label = { name, hash: hashText(name), slot: known.size };
  known.set(name, made);
  return made;
}

export const labelCount = (): number => known.size;

/** FNV-1a: short, and spreads names that differ in one letter. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
