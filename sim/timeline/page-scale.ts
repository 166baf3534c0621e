/** Where a time stands on the page. Long stretches in which nothing happens are pressed together. */
export interface Scale {
  readonly x: (at_us: number) => number;
  readonly breaks: readonly { readonly from: number; readonly to: number; readonly seconds: number }[];
}

const quiet_us = 6_000_000;
/** So much room a quiet stretch still gets. */
const pressed_us = 2_000_000;

export function scaleOf(
  times: readonly number[],
  range: { readonly from_us: number; readonly to_us: number; readonly left: number; readonly right: number },
): Scale {
  const { from_us, to_us, left, right } = range;
  const inside = times.filter((at_us) => at_us > from_us && at_us < to_us);
  const marks = [...new Set([from_us, ...inside, to_us])].toSorted((a, b) => a - b);
  const parts = marks.slice(1).map((end_us, nth) => {
    const begin_us = marks[nth] ?? from_us;
    const long_us = end_us - begin_us;
    return { begin_us, end_us, room_us: long_us > quiet_us ? pressed_us : long_us };
  });
  const all_us = parts.reduce((sum, { room_us }) => sum + room_us, 0);
  const per_us = all_us === 0 ? 0 : (right - left) / all_us;
  let at = left;
  const placed = parts.map((part) => {
    const begin = at;
    at += part.room_us * per_us;
    return { ...part, begin, end: at };
  });
  return {
    x: (at_us) => {
      const part = placed.find(({ end_us }) => at_us <= end_us);
      if (part === undefined) return right;
      const share = Math.max(0, at_us - part.begin_us) / (part.end_us - part.begin_us);
      return part.begin + share * (part.end - part.begin);
    },
    breaks: placed
      .filter(({ begin_us, end_us }) => end_us - begin_us > quiet_us)
      .map(({ begin, end, begin_us, end_us }) => ({
        from: begin,
        to: end,
        seconds: Math.round((end_us - begin_us) / 1e6),
      })),
  };
}
