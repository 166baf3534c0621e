import { rm, stat } from "node:fs/promises";
import * as v from "valibot";
import { paths } from "../../base/paths.ts";
import { fail } from "../../base/problem.ts";
import { isMissing, readIfThere, replaceSynced } from "../../machine/files.ts";
import { readSite } from "../../site/read.ts";
import type { Machine, Site } from "../../site/site.ts";

/**
 * What an uninstall means to do. Written before the first thing is done, and gone with the last: whoever is cut off in
 * between finds here what it can't read from the machine any more.
 */
const shape = v.object({
  format: v.literal(1),
  machine: v.string(),
  /** The text of the site file. */
  site: v.string(),
  begun: v.string(),
  /** The peer was uninstalled before: nothing of the cluster is needed any more. */
  last: v.boolean(),
  /** Why it may go on though the peer is no full voter. */
  force: v.nullable(v.string()),
  /** What setup took from systemd's care, and what gets it back. */
  services: v.array(v.string()),
  /** What became of the BMCs' asset tags; null: nothing was done yet. */
  tags: v.nullable(v.array(v.string())),
});
export type Plan = v.InferOutput<typeof shape>;

export async function readPlan(path: string = paths.uninstall): Promise<Plan | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), text);
  if (parsed.success) return parsed.output;
  return fail(
    "DUET-E-UNINSTALL-PLAN",
    path,
    "an uninstall has begun, and what it meant to do can't be read",
    "remove this file and run `duet uninstall` again; what is gone already is not missed",
  );
}

/** It may be seen by root alone: it has the site file's text. */
export const writePlan = (plan: Plan, path: string = paths.uninstall): Promise<void> =>
  replaceSynced(path, `${JSON.stringify(plan, null, 1)}\n`, 0o600);

export const dropPlan = (path: string = paths.uninstall): Promise<void> => rm(path, { force: true });

/** Longer than a machine that is uninstalled still takes part (`leave_ms` of leave.ts). */
const leaving_ms_max = 10 * 60_000;

/**
 * Of a machine that takes part: its uninstall was cut off, and it came back. Nothing of it is gone on with, least of all without a look
 * at the peer.
 */
export async function dropLeftPlan(path: string = paths.uninstall, now_ms = Date.now()): Promise<boolean> {
  try {
    if (now_ms - (await stat(path)).mtimeMs < leaving_ms_max) return false;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  await dropPlan(path);
  return true;
}

export interface Sides {
  readonly site: Site;
  readonly mine: Machine;
  readonly theirs: Machine;
}

export function sidesOf({ site: text, machine }: Pick<Plan, "site" | "machine">): Sides {
  const { site } = readSite(text, paths.site);
  const mine = site?.machines.find(({ name }) => name === machine);
  const theirs = site?.machines.find(({ name }) => name !== machine);
  if (site !== undefined && mine !== undefined && theirs !== undefined) return { site, mine, theirs };
  return fail(
    "DUET-E-SETUP-NOT-RENDERED",
    paths.site,
    `the site file does not name ${machine} and one other`,
    "put the file back that the machine was installed with (it is rendered from yours)",
  );
}
