const unit_ms = { ms: 1, s: 1000, m: 60_000 } as const;

/** `1500ms`, `5s`, `1.5s`, `2m` in milliseconds; undefined for what is no duration or less than a millisecond's grain. */
export function parseDuration(text: string): number | undefined {
  const found = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m)$/.exec(text);
  if (found === null) return undefined;
  const unit = found[2];
  if (unit !== "ms" && unit !== "s" && unit !== "m") return undefined;
  // Rounded to the thousandth first: 1.1 * 1000 is not quite 1100.
  const ms = Math.round(Number(found[1]) * unit_ms[unit] * 1000) / 1000;
  return Number.isInteger(ms) ? ms : undefined;
}

export function formatDuration(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}
