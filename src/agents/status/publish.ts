import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { paths } from "../../base/paths.ts";
import { DuetError } from "../../base/problem.ts";
import { asciiJson } from "../../base/text.ts";
import { attributeOf, setAttribute } from "../../machine/attributes.ts";
import { type Saying, sayingShape } from "./report.ts";
import { mainSaying, Said } from "./said.ts";

/** Beside what machines tell each other to decide by: this one is for people, and no rule reads it. */
const attribute = "duet-says";
const text = v.pipe(v.string(), v.parseJson(), sayingShape);

/** Pacemaker forgets it when it is started anew. */
const repeat_ms = 60_000;
const publish_ms = 2_000;

/** So that `duet status` on the peer can show what this machine goes by. To be called where nobody waits for this machine. */
export async function tellSaying(
  folder: string = paths.run,
  publish: typeof publishSaying = publishSaying,
): Promise<void> {
  const saying = mainSaying(new Said(folder).all());
  if (saying === undefined) return;
  const path = join(folder, "said-published");
  const text = `${saying.rule} ${saying.sentence}`;
  if (isTold(path, text)) return;
  try {
    await publish(saying, publish_ms);
    writeFileSync(path, text, { mode: 0o600 });
  } catch (error) {
    if (!(error instanceof DuetError)) throw error;
  }
}

function isTold(path: string, text: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs < repeat_ms && readFileSync(path, "utf8") === text;
}

const publishSaying = (saying: Saying, deadline_ms: number): Promise<void> =>
  setAttribute(attribute, asciiJson(JSON.stringify(saying)), deadline_ms);

export async function sayingOf(machine: string, deadline_ms: number): Promise<Saying | null> {
  const parsed = v.safeParse(text, await attributeOf(machine, attribute, deadline_ms));
  return parsed.success ? parsed.output : null;
}
