import { paths } from "../src/base/paths.ts";
import type { Seen } from "../src/scenario/world.ts";
import type { Lab } from "./folder.ts";
import { runIn } from "./run.ts";

const writes = 10;

/** A disk that no write finds slow would prove nothing: some are made, each synced, where etcd's data is. */
export async function isSlow(lab: Lab, machine: string, delay_ms: number): Promise<Seen> {
  const probe = `${paths.kept}.probe`;
  const argv = ["dd", "if=/dev/zero", `of=${probe}`, "bs=4096", `count=${writes}`, "oflag=dsync"];
  // A brake lets some writes through at first, after a rest: those of the first run.
  await runIn(lab, machine, argv, { deadline_ms: 120_000 });
  const { stderr } = await runIn(lab, machine, argv, { deadline_ms: 120_000 });
  await runIn(lab, machine, ["rm", probe]);
  return judgeSlow(stderr, delay_ms);
}

/** By dd's last line: `40960 bytes (41 kB, 40 KiB) copied, 0.52 s, 78 kB/s`. */
export function judgeSlow(said: string, delay_ms: number): Seen {
  const taken_s = Number(/copied, ([0-9.e+-]+) s/.exec(said)?.[1]);
  if (!Number.isFinite(taken_s)) return { ok: false, seen: `dd says: ${said.trim().slice(-200)}` };
  const each_ms = (taken_s * 1000) / writes;
  // The brake counts writes, and lets them go in groups: some of so few are quicker. Without it a sync takes a millisecond or two.
  return { ok: each_ms >= delay_ms / 2, seen: `a synced write takes ${each_ms.toFixed(0)} ms` };
}
