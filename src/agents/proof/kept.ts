import { dirname } from "node:path";
import * as v from "valibot";
import { paths } from "../../base/paths.ts";
import { makeFolder, readIfThere, replaceSynced } from "../../machine/files.ts";

const name = v.pipe(v.string(), v.maxLength(253));
const said = v.pipe(v.string(), v.maxLength(2_000));

/** One way to switch a machine off, proven by itself; for one that is not, why. */
export const wayShape = v.object({
  way: v.picklist(["BMC", "outlet", "Pacemaker"]),
  ok: v.boolean(),
  why: said,
  fix: said,
  code: v.nullable(v.string()),
});
export type WayProof = v.InferOutput<typeof wayShape>;

/** What one harmless test has shown: could `by` switch `target` off at `at_ms`? */
export const proofShape = v.object({
  by: name,
  target: name,
  at_ms: v.number(),
  ways: v.array(wayShape),
  /** The last time that each way was well, and since when that is not so; null: never, and it is so. */
  good_ms: v.nullable(v.number()),
  failing_ms: v.nullable(v.number()),
});
export type Proof = v.InferOutput<typeof proofShape>;

export const isGood = ({ ways }: Pick<Proof, "ways">): boolean =>
  ways.length > 0 && ways.every(({ ok }) => ok);

/** Of this machine; undefined: none was made yet, or it can't be read, which is the same: it proves nothing. */
export async function readProof(path: string = paths.fenceProof): Promise<Proof | undefined> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), proofShape), await readIfThere(path));
  return parsed.success ? parsed.output : undefined;
}

/** The last one, and what is remembered of those before: a failure stays known with the time at which it began. */
export async function keepProof(
  seen: Pick<Proof, "by" | "target" | "at_ms" | "ways">,
  path: string = paths.fenceProof,
): Promise<Proof> {
  const before = await readProof(path);
  const known = before?.target === seen.target ? before : undefined;
  const good = isGood(seen);
  const proof: Proof = {
    ...seen,
    good_ms: good ? seen.at_ms : (known?.good_ms ?? null),
    failing_ms: good ? null : (known?.failing_ms ?? seen.at_ms),
  };
  await makeFolder(dirname(path));
  await replaceSynced(path, `${JSON.stringify(proof)}\n`, 0o600);
  return proof;
}
