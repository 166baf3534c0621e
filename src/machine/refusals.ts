import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import * as v from "valibot";
import type { CredentialsRef } from "../site/site.ts";
import { sinceBoot_ms } from "./clock.ts";
import { nextOf } from "./logins.ts";

/**
 * So long nobody who only looks tries a login that was refused. BMCs count them: some bar an address for ten minutes after the third
 * within a minute (iDRAC 8), some lock the user, who may be the admin's too. And then nobody can fence.
 */
export const hold_ms = 60_000;

export interface Hold {
  readonly status: number;
  readonly left_ms: number;
}

/**
 * What is held up by which refusals. Who looks, by all of them. A command to switch, on which the whole site waits, by those of commands
 * alone: so the first of a fence is sent whatever was refused to others, and a password that is taken holds up nobody.
 */
export type Purpose = "look" | "command";

/** What one service has refused of late, for all of duet's processes of this boot. */
export interface Refusals {
  /** Where so many were refused one after the other, and the last one a moment ago; undefined: a login may be tried. */
  readonly hold: (after: number) => Hold | undefined;
  readonly refused: (status: number) => void;
  readonly took: () => void;
}

const shape = v.record(
  v.string(),
  v.object({ mark: v.string(), status: v.number(), times: v.number(), at_ms: v.number() }),
);
type Noted = v.InferOutput<typeof shape>;

/**
 * By the service's URL. Other files of credentials than those that were refused end it at once, so `duet credentials rotate` does, on
 * each machine that gets the new ones. Nothing is noted of credentials in the environment: no part that runs by itself has those.
 */
export function refusalsOf(
  url: string,
  credentials: CredentialsRef,
  siteFolder: string,
  run: string,
  purpose: Purpose = "look",
): Refusals | undefined {
  if ("env" in credentials) return undefined;
  const path = resolve(siteFolder, credentials.file);
  const mark = () => [path, nextOf(path)].map(markOf).join(" ");
  const file = fileIn(run);
  const ofCommands = `${url} command`;
  return {
    hold: (after) => {
      const noted = readNoted(file)[purpose === "command" ? ofCommands : url];
      if (noted === undefined || noted.times < after || noted.mark !== mark()) return undefined;
      const left_ms = noted.at_ms + hold_ms - sinceBoot_ms();
      return left_ms > 0 ? { status: noted.status, left_ms } : undefined;
    },
    refused: (status) => {
      const all = readNoted(file);
      const now = mark();
      const noted = (key: string) => ({
        [key]: {
          mark: now,
          status,
          times: all[key]?.mark === now ? all[key].times + 1 : 1,
          at_ms: sinceBoot_ms(),
        },
      });
      writeNoted(file, { ...all, ...noted(url), ...(purpose === "command" ? noted(ofCommands) : {}) });
    },
    took: () => {
      const { [url]: looks, [ofCommands]: commands, ...others } = readNoted(file);
      if (looks !== undefined || commands !== undefined) writeNoted(file, others);
    },
  };
}

const fileIn = (run: string): string => join(run, "bmc-refused");

/** For a person who asks, and may have mended it just now. */
export const forgetRefusals = (run: string): void => rmSync(fileIn(run), { force: true });

/** Which file it is; nothing is derived from what it holds. */
function markOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "none" : `${found.ino} ${found.mtimeMs}`;
}

function readNoted(file: string): Noted {
  try {
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), readFileSync(file, "utf8"));
    return parsed.success ? parsed.output : {};
  } catch {
    return {};
  }
}

/** Of two who write at once one is forgotten: that costs one more try. */
function writeNoted(file: string, noted: Noted): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(noted), { mode: 0o600 });
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // Then it is tried again at the next look.
  }
}
