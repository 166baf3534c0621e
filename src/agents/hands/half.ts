import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { MemberEffects, UnitEffects } from "../../act/effects.ts";
import { DuetError } from "../../base/problem.ts";
import { readMemberFacts } from "../../facts/facts.ts";
import { exists, replaceSynced, syncFolder } from "../../machine/files.ts";
import { failureOf } from "./outcome.ts";

/**
 * In the member's own folder, so that it goes where the data goes: this member was never asked to become a voter. What it holds
 * is a part of what its peer holds, and nobody will ever want it back.
 */
const mark = (data: string): string => join(data, "member", "duet-half-made");

/** Marks what a join makes, until the promotion is asked for. */
export const markingHalf = (
  data: string,
  unit: UnitEffects,
  members: MemberEffects,
): { readonly unit: UnitEffects; readonly members: MemberEffects } => ({
  unit: {
    ...unit,
    start: async (how, deadline_ms) => {
      const up = await unit.start(how, deadline_ms);
      if (how === "join") await markHalf(data);
      return up;
    },
  },
  members: {
    ...members,
    promote: async (deadline_ms) => {
      try {
        await unmarkHalf(data);
      } catch (error) {
        return failureOf(error);
      }
      return await members.promote(deadline_ms);
    },
  },
});

/** On a disk that is full it may fail: then the data is kept like any other. */
async function markHalf(data: string): Promise<void> {
  if (!(await exists(join(data, "member")))) return;
  try {
    await replaceSynced(mark(data), "");
  } catch (error) {
    failureOf(error);
  }
}

async function unmarkHalf(data: string): Promise<void> {
  if (!(await exists(mark(data)))) return;
  await rm(mark(data), { force: true });
  await syncFolder(join(data, "member"));
}

/** By the mark, and by its log where that can be read: somebody may have made it a voter by hand. */
export async function isHalf(data: string): Promise<boolean> {
  if (!(await exists(mark(data)))) return false;
  try {
    return readMemberFacts(data)?.standing !== "voter";
  } catch (error) {
    if (error instanceof DuetError) return true;
    throw error;
  }
}
