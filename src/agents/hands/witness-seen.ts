import { dirname } from "node:path";
import * as v from "valibot";
import { makeFolder, readIfThere, replaceSynced } from "../../machine/files.ts";
import { lockFile, lockOf } from "../../machine/lock.ts";

export const lostShape = v.object({
  at: v.pipe(v.string(), v.isoTimestamp()),
  found: v.picklist(["empty", "older"]),
});
/** When a BMC was seen without a tag that it had, and what was there instead. */
export type Lost = v.InferOutput<typeof lostShape>;

const shape = v.record(
  v.string(),
  v.object({
    bmc: v.string(),
    /** The test (by its time) since which this is so: with another one all of it begins anew. */
    test: v.string(),
    /** The highest one that this machine has read there. Undefined: only the peer has told of the BMC. */
    tag: v.optional(v.string()),
    lost: v.optional(lostShape),
    /** It was empty then, and at each look since. */
    emptySince: v.optional(v.pipe(v.string(), v.isoTimestamp())),
  }),
);
/** By the machine whose BMC it is. */
export type TagsSeen = v.InferOutput<typeof shape>;
export type TagSeen = TagsSeen[string];

/** A torn file says nothing: what is in the BMCs is read anew. */
export async function readSeen(path: string): Promise<TagsSeen> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), await readIfThere(path));
  return parsed.success ? parsed.output : {};
}

export const changeSeen = (
  path: string,
  change: (was: TagsSeen) => TagsSeen | Promise<TagsSeen>,
): Promise<TagsSeen> => changeNoted(path, readSeen, change);

/**
 * By what stands there in that moment: the one-shot, the guard, the fence agent and commands look at the BMCs at the same time, and
 * none may undo what another has noted. `change` returns what it was given where there is nothing to note.
 */
export async function changeNoted<T>(
  path: string,
  read: (path: string) => Promise<T>,
  change: (was: T) => T | Promise<T>,
): Promise<T> {
  await makeFolder(dirname(path));
  await using lock = await lockFile(lockOf(path));
  void lock;
  const was = await read(path);
  const next = await change(was);
  if (next !== was) await replaceSynced(path, `${JSON.stringify(next, null, 1)}\n`);
  return next;
}

/** Goes behind "the BMC of NAME". */
export const lostText = ({ at, found }: Lost): string =>
  `lost its tag after it was tested (${found === "empty" ? "it was empty" : "an older one stood there"}, seen ${at.slice(0, 19)}Z): it forgets, or somebody wrote there; \`duet setup --witness-test\` on both machines tests it anew`;
