import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import * as v from "valibot";
import { makeFolder, readIfThere, replaceSynced } from "../../machine/files.ts";
import type { RedfishClient, Tag as RedfishTag } from "../../redfish/client.ts";

const shape = v.object({
  bmc: v.string(),
  /** The test's own, and what stood there before. */
  text: v.string(),
  before: v.nullable(v.string()),
  /** The process that tests: with it gone, or after another boot, nobody does. */
  by: v.string(),
});
/** A test of a BMC's tag that has begun. */
export type BegunTest = v.InferOutput<typeof shape>;

/** Synced, before the test writes. */
export async function noteTest(path: string, test: Omit<BegunTest, "by">): Promise<void> {
  const by = await processMark(process.pid);
  await makeFolder(dirname(path));
  await replaceSynced(path, `${JSON.stringify({ ...test, by })}\n`);
}

export async function begunTest(path: string): Promise<BegunTest | undefined> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), await readIfThere(path));
  return parsed.success ? parsed.output : undefined;
}

export const forgetTest = (path: string): Promise<void> => rm(path, { force: true });

/** One that was cut off; undefined: there is none, or it is still at work. */
export async function leftTest(path: string): Promise<BegunTest | undefined> {
  const test = await begunTest(path);
  if (test === undefined) return undefined;
  const pid = Number(test.by.split(" ")[0]);
  return test.by === (await processMark(pid)) ? undefined : test;
}

/** Number, start and boot: a number alone is given to others in time. */
async function processMark(pid: number): Promise<string> {
  const stat = (await readIfThere(`/proc/${pid}/stat`)) ?? "";
  const boot = (await readIfThere("/proc/sys/kernel/random/boot_id")) ?? "";
  // See proc(5): fields are counted from behind the name, which may hold anything.
  const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "gone";
  return `${pid} ${start} ${boot.trim()}`;
}

/**
 * For whoever only looks. Without an ETag a tag that the peer raises between reading and writing would be lowered: then the text stays
 * until setup tests again, at 1+1.
 */
export const putBackSafely = async (...asked: Parameters<typeof putBack>): Promise<RedfishTag> =>
  asked[2].etag === undefined ? asked[2] : await putBack(...asked);

/**
 * Puts back what stood there, where the test's text still does; what is there now. Where a third text stands, somebody has written since,
 * and if the test's should ever be back, the BMC has brought it: then it is nobody's to put back.
 */
export async function putBack(
  client: RedfishClient,
  test: BegunTest,
  seen: RedfishTag,
  path: string,
): Promise<RedfishTag> {
  const before = test.before ?? "";
  if (seen.tag !== test.text) {
    // As it was: the test's last write may still be on its way.
    if ((seen.tag ?? "") !== before) await forgetTest(path);
    return seen;
  }
  const written = await client.writeTag(before, seen.etag);
  const now = written.ok ? await client.readTag() : written;
  if (!now.ok || (now.value.tag ?? "") !== before) return seen;
  await forgetTest(path);
  return now.value;
}
