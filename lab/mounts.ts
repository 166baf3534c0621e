import { readFile } from "node:fs/promises";

/** Mount points at or below a path, deepest first, as they have to be unmounted. */
export async function mountsBelow(path: string): Promise<readonly string[]> {
  const lines = (await readFile("/proc/self/mountinfo", "utf8")).split("\n");
  const points = lines.flatMap((line) => {
    const point = line.split(" ")[4];
    // The kernel writes a space in a path as \040.
    return point === undefined
      ? []
      : [point.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))];
  });
  return points.filter((p) => p === path || p.startsWith(`${path}/`)).toReversed();
}
