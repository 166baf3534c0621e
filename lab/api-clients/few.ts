/** As many of a kind as a person reads. */
const told_max = 5;

export function few(problems: readonly string[]): readonly string[] {
  const more = problems.length - told_max;
  return more > 0 ? [...problems.slice(0, told_max), `and ${more} more of this kind`] : problems;
}
