import { join } from "node:path";
import * as v from "valibot";
import { paths } from "../../base/paths.ts";
import { exists, readIfThere, replaceSynced } from "../../machine/files.ts";
import { type Proof, readProof } from "../proof/kept.ts";
import { raise } from "./raise.ts";

/** A harmless proof runs each day: when three were missed, nobody can say any more that a fence would work. */
export const unproven_days = 3;
const day_ms = 86_400_000;
/** Looked at no oftener than this; told no oftener than once a day. */
const look_ms = 3_600_000;

const shape = v.object({
  /** When it was last proven that this machine could switch its peer off, or when it began to count. */
  proven_ms: v.number(),
  looked_ms: v.number(),
  told_ms: v.number(),
});
type Kept = v.InferOutput<typeof shape>;

const file = (folder: string): string => join(folder, "proof.json");

async function read(folder: string): Promise<Kept | undefined> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), await readIfThere(file(folder)));
  return parsed.success ? parsed.output : undefined;
}

const write = (folder: string, kept: Kept): Promise<void> =>
  replaceSynced(file(folder), `${JSON.stringify(kept)}\n`, 0o600);

export interface ProofLook {
  readonly me: string;
  readonly peer: string;
  readonly now_ms: number;
  /** What the last test of fencing the peer has shown: `duet fence-test`, which runs each day. */
  readonly proof?: () => Promise<Pick<Proof, "target" | "good_ms"> | undefined>;
  readonly folder?: string;
  readonly tell?: typeof raise;
}

/**
 * To be called at every look of duet's: once an hour it reads the last proof, and raises an alert where the last good one is older
 * than some days. A machine that was just set up, or whose clock was set back, begins to count now.
 */
export async function tellOldProof({
  me,
  peer,
  now_ms,
  proof = readProof,
  folder = paths.alerts,
  tell = raise,
}: ProofLook): Promise<void> {
  if (!(await exists(folder))) return;
  const kept = await read(folder);
  if (kept === undefined || kept.looked_ms > now_ms || kept.proven_ms > now_ms)
    return await write(folder, { proven_ms: now_ms, looked_ms: now_ms, told_ms: 0 });
  if (now_ms - kept.looked_ms < look_ms) return;
  const last = await proof();
  const good_ms = last?.target === peer ? (last.good_ms ?? 0) : 0;
  const proven_ms = Math.max(kept.proven_ms, Math.min(now_ms, good_ms));
  const days = Math.floor((now_ms - proven_ms) / day_ms);
  // It was off, and could prove nothing: it has a day for that.
  const told_ms = now_ms - kept.looked_ms >= day_ms ? now_ms : kept.told_ms;
  const due = days >= unproven_days && now_ms - told_ms >= day_ms;
  if (due)
    tell({
      kind: "fence-unproven",
      about: peer,
      by: me,
      why: `the last proof is ${days} days old, of ${new Date(proven_ms).toISOString().slice(0, 10)}`,
    });
  await write(folder, { proven_ms, looked_ms: now_ms, told_ms: due ? now_ms : told_ms });
}
