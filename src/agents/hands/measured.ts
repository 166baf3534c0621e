import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { paths } from "../../base/paths.ts";
import { fenceTimesIn, type LastingAttributes } from "../../machine/fence-times.ts";
import type { FenceTimes } from "../../render/fence-times.ts";
import type { Site } from "../../site/site.ts";

const shape = v.array(v.tuple([v.string(), v.array(v.tuple([v.string(), v.string()]))]));

/**
 * Of each machine's fence, as Pacemaker has it now; where it does not tell in time, as it last told since the boot. Without the
 * second a busy machine would count with other turns than its peer, which has been told.
 */
export async function measuredTimes(
  site: Site,
  asked: Promise<LastingAttributes | undefined>,
  folder: string = paths.run,
): Promise<ReadonlyMap<string, FenceTimes> | undefined> {
  const file = join(folder, "fence-times");
  const given = await asked.catch(() => undefined);
  const known = await readNoted(file);
  if (given !== undefined) await note(file, given, known);
  const lasting = given ?? known;
  return lasting === undefined ? undefined : fenceTimesIn(site, lasting);
}

const written = (given: LastingAttributes): string =>
  JSON.stringify([...given].map(([name, pairs]) => [name, [...pairs]]));

async function readNoted(file: string): Promise<LastingAttributes | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), text);
  return parsed.success ? new Map(parsed.output.map(([name, pairs]) => [name, new Map(pairs)])) : undefined;
}

/** A note that can't be written is no reason not to fence. */
async function note(
  file: string,
  given: LastingAttributes,
  known: LastingAttributes | undefined,
): Promise<void> {
  const text = written(given);
  if (known !== undefined && written(known) === text) return;
  const beside = `${file}.${process.pid}`;
  await writeFile(beside, text)
    .then(() => rename(beside, file))
    .catch(() => undefined);
}
