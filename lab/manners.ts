import { run } from "../src/machine/process.ts";

/** The words before a long build's command, which say what it yields to. */
export type Manners = readonly [string, ...string[]];

/** Somebody waits for it, and uses the box meanwhile. */
export const polite: Manners = ["nice", "-n", "10"];

const idle_words: readonly Manners[] = [
  ["chrt", "--idle", "0"],
  ["ionice", "-c", "3"],
];

/**
 * Only while nobody else wants a core: what boots and measures machines meanwhile must not notice. Not every box has these
 * programs, or lets its root use them; nice is everywhere.
 */
export async function idle(candidates: readonly Manners[] = idle_words): Promise<Manners> {
  let manners: Manners = ["nice", "-n", "19"];
  for (const words of candidates) {
    const more: Manners = [...manners, ...words];
    if ((await run([...more, "true"], { accept: "any" })).status === 0) manners = more;
  }
  return manners;
}
