import type { Level, Moment } from "./moment.ts";

/**
 * What a person reads: everything that matters if it is short. If it is not, the faults and the outages are always there, and
 * then as much as fits, the end before the beginning: what broke, broke in the last chapter.
 */
export function chooseMoments(
  moments: readonly Moment[],
  fits: (kept: readonly Moment[]) => boolean,
): readonly Moment[] {
  const chapters = chaptersOf(moments);
  const levels: Level[] = chapters.map(() => 0);
  const kept = () =>
    chapters.flatMap((chapter, nth) => chapter.filter(({ level }) => level <= (levels[nth] ?? 0)));
  for (const level of [1, 2, 3] as const)
    for (let nth = chapters.length - 1; nth >= 0; nth -= 1) {
      const before = levels[nth] ?? 0;
      levels[nth] = level;
      const last = level === 1 && nth === chapters.length - 1;
      if (!last && !fits(kept())) levels[nth] = before;
    }
  return kept();
}

/** Each fault begins one. */
function chaptersOf(moments: readonly Moment[]): readonly (readonly Moment[])[] {
  const chapters: Moment[][] = [[]];
  for (const moment of moments) {
    if (moment.sort === "fault") chapters.push([]);
    chapters.at(-1)?.push(moment);
  }
  return chapters;
}
