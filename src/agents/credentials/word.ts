import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { Secret } from "../../base/secret.ts";
import { credentialsLine } from "../../machine/credentials.ts";
import { makeFolder } from "../../machine/files.ts";
import { current, type Keeper, rotationOf, waiting } from "./keeper.ts";
import { seal } from "./seal.ts";

/**
 * What a machine tells its peer, as one attribute of the membership: which credentials it holds, by their generation, and those
 * that the peer may not have, sealed. It is in the memory of Pacemaker's daemons and in no file; a machine that was away hears it
 * when it is back.
 */
const shape = v.object({
  have: v.record(v.string(), v.object({ generation: v.number(), staged: v.boolean() })),
  offers: v.record(v.string(), v.object({ generation: v.number(), sealed: v.string() })),
});
export type Word = v.InferOutput<typeof shape>;

export function parseWord(text: string | undefined): Word {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), text);
  return parsed.success ? parsed.output : { have: {}, offers: {} };
}

export const about = ({ site }: Pick<Keeper, "site">, name: string, generation: number): string =>
  `${site.name} ${name} ${generation}`;

/** Pacemaker forgets it when it is started anew. */
const repeat_ms = 60_000;

/** Tells what is to be told, unless that was told a moment ago. */
export async function tellWord(keeper: Keeper): Promise<void> {
  const have: Word["have"] = {};
  const offered: string[] = [];
  for (const { name } of keeper.site.machines) {
    const rotation = await rotationOf(keeper, name);
    if (rotation === undefined) continue;
    have[name] = {
      generation: rotation.generation,
      staged: (await waiting(keeper, name)) !== undefined,
    };
    if (rotation.handOver) offered.push(name);
  }
  if (Object.keys(have).length === 0) return;
  const path = join(keeper.run, "credentials-told");
  const mark = JSON.stringify({ have, offered });
  if (isTold(path, mark)) return;
  const offers: Word["offers"] = {};
  for (const name of offered) {
    const generation = have[name]?.generation ?? 0;
    const credentials = (await waiting(keeper, name)) ?? (await current(keeper, name));
    const line = new Secret(credentialsLine(credentials));
    offers[name] = { generation, sealed: seal(line, about(keeper, name, generation), await keeper.key()) };
  }
  if (!(await keeper.tell(JSON.stringify({ have, offers } satisfies Word)))) return;
  await makeFolder(keeper.run, 0o700);
  writeFileSync(path, mark, { mode: 0o600 });
}

function isTold(path: string, mark: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs < repeat_ms && readFileSync(path, "utf8") === mark;
}
