import { type Bmc, done, type Outcome, success } from "../../act/effects.ts";
import { within } from "./outcome.ts";
import { parseTag } from "./tag.ts";
import { knownAfter } from "./tag-seen.ts";
import type { BmcFiles, Ways } from "./ways.ts";
import { readTests, testOf } from "./witness.ts";
import { areTagsWritten } from "./witness-said.ts";
import { changeSeen, readSeen, type TagSeen, type TagsSeen } from "./witness-seen.ts";

/** To be told what was read, and whether something is written over it now: then nobody can look again. */
export type TagWatch = (text: string | null, over?: boolean) => Promise<void>;

/** A disk that fails, or hangs, keeps nobody from a look at a BMC: a fence may wait for it. */
export const note_ms = 1_000;

/**
 * Sees whether a BMC that passed its test still holds each tag that it held: a test of one restart does not show everything. To be
 * called before the BMC is: a tag that another process raises in between is then no lost one. From the first loss on the BMC is no
 * witness, until it is tested again (`readWitness`). A foreign text is somebody's, and says nothing about the BMC.
 */
export async function watchTag(ways: Ways, side: Bmc): Promise<TagWatch> {
  const { site, files } = ways;
  if (files === undefined) return () => Promise.resolve();
  const known = await within(note_ms, async () =>
    success(
      (await areTagsWritten(site, files.witnessSaid))
        ? await seenSince(ways, files, side, await readSeen(files.witnessSeen))
        : undefined,
    ),
  );
  if (!known.ok || known.value === undefined) return () => Promise.resolve();
  const held = known.value;
  const parse = (text: string | null) => parseTag(site, text);
  return async (text, over = false) => {
    const look = { text, over, at: new Date().toISOString(), held };
    if (knownAfter(parse, held, look) === held) return;
    await within(note_ms, async (): Promise<Outcome> => {
      await changeSeen(files.witnessSeen, async (all) => {
        const was = await seenSince(ways, files, side, all);
        // Tested anew meanwhile: what was seen before says nothing.
        if (was?.test !== held.test) return all;
        const is = knownAfter(parse, was, look);
        return is === was ? all : { ...all, [ways[side].name]: is };
      });
      return done;
    });
  };
}

/** Since its last test; undefined: it was not seen to pass one, so nobody relies on it. */
async function seenSince(
  ways: Ways,
  files: BmcFiles,
  side: Bmc,
  all: TagsSeen,
): Promise<TagSeen | undefined> {
  const { name, bmc } = ways[side];
  const test = testOf(ways.site, await readTests(files.witness), name);
  if (test?.result !== "kept") return undefined;
  const known = all[name];
  return known?.bmc === bmc.url && known.test === test.at ? known : { bmc: bmc.url, test: test.at };
}
