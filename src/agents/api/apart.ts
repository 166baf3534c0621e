import { DuetError } from "../../base/problem.ts";

/** What goes on for ever, by a name for the log. */
export type Parts = Readonly<Record<string, () => Promise<void>>>;

export interface ApartDoors {
  readonly sleep: (ms: number) => Promise<void>;
  readonly tell: (line: string) => void;
}

const again_ms = 1_000;

/**
 * Runs them beside each other. One that fails is begun anew a second later, and the others never learn of it: were the process to end,
 * who watches the API server would have to look at it anew for a while before the address may come to it. `goesOn` is for tests.
 */
export async function runApart(
  parts: Parts,
  doors: ApartDoors,
  goesOn: () => boolean = () => true,
): Promise<void> {
  await Promise.all(Object.entries(parts).map(([name, part]) => keep(name, part, doors, goesOn)));
}

async function keep(
  name: string,
  part: () => Promise<void>,
  { sleep, tell }: ApartDoors,
  goesOn: () => boolean,
): Promise<void> {
  let complaint = "";
  while (goesOn()) {
    try {
      await part();
    } catch (error) {
      const why = whyOf(error);
      // Once, and not each second.
      if (why !== complaint) tell(`${name}: failed, and is tried again each second: ${why}`);
      complaint = why;
      await sleep(again_ms);
    }
  }
}

/** What is no DuetError may be a bug: then where it happened is told, too. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof DuetError ? error.message : (error.stack ?? error.message);
}
