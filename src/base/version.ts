/** Versions of etcd: `3.5.16`, or `3.6` where only the first two numbers are told. */

type Numbers = readonly [number, number, number];

function numbersOf(version: string): Numbers | undefined {
  const [, major, minor, patch = "0"] =
    /^(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6})(?:[-+].*)?)?$/.exec(version) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

/** Below zero: the first is the older. Undefined where one of them is no version. */
export function compareVersions(one: string, other: string): number | undefined {
  const [a, b] = [numbersOf(one), numbersOf(other)];
  if (a === undefined || b === undefined) return undefined;
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/** `3.6` of `3.6.16`: data, and what members say to each other, change with these two numbers only. */
export function minorOf(version: string): string | undefined {
  const numbers = numbersOf(version);
  return numbers && `${numbers[0]}.${numbers[1]}`;
}

/** What is no version counts for nothing. */
export const newest = (versions: readonly string[]): string | undefined =>
  versions.filter((each) => numbersOf(each) !== undefined).toSorted((a, b) => compareVersions(b, a) ?? 0)[0];
