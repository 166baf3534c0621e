import { DuetError } from "../../base/problem.ts";
import { now_ms, sleep } from "../../machine/clock.ts";
import type { RedfishClient } from "../../redfish/client.ts";
import { type Failure, problemOf, type Result } from "../../redfish/failure.ts";
import type { TagResult } from "../hands/witness.ts";

export interface TagTrial {
  /** Anew for each call: no connection and no time of it outlives the BMC's restart. */
  readonly client: () => Promise<RedfishClient>;
  /** For errors: whose BMC. */
  readonly where: string;
  /** No rule's tag (src/agents/hands/tag.ts): who finds it there writes nothing over it, and nobody starts by it. */
  readonly text: string;
  /** Told what stands there, before the text is written. */
  readonly keep?: (before: string | null) => Promise<void>;
  readonly say: (detail: string) => void;
  readonly times?: TrialTimes;
}

export interface TrialTimes {
  readonly again_ms: number;
  /** From the reset until it is first seen away: some go on answering for a while. */
  readonly away_ms: number;
  readonly back_ms: number;
  /** Once it is back: some show their tag only when all of it is up. */
  readonly settle_ms: number;
}

export const trial_times: TrialTimes = {
  again_ms: 250,
  away_ms: 90_000,
  back_ms: 10 * 60_000,
  settle_ms: 20_000,
};

export interface TagFinding {
  readonly result: TagResult;
  /** Goes behind "the BMC of NAME". */
  readonly said: string;
}

const writes_max = 3;
/** One failed call may be a lost packet. */
const away_calls = 2;

/**
 * Writes a text of its own, restarts the BMC, and looks whether the text is still there. Not the site's tag: an agent that serves
 * writes that one wherever it finds nothing, so a BMC that forgets could pass; and a late write of it could lower a tag.
 * Throws DuetError where the BMC can't be asked at all: that says nothing about its tag.
 */
export async function tryTag(trial: TagTrial): Promise<TagFinding> {
  const wrong = (await writeText(trial)) ?? (await restart(trial));
  return wrong ?? (await readBack(trial));
}

async function writeText({ client, text, where, keep }: TagTrial): Promise<TagFinding | undefined> {
  const bmc = await client();
  for (let tries = 1; ; tries += 1) {
    const before = await bmc.readTag();
    if (!before.ok && before.failure.kind === "unsupported")
      return { result: "none", said: "has no AssetTag" };
    const { tag, etag } = valueOf(before, where);
    await keep?.(tag);
    const written = await bmc.writeTag(text, etag);
    if (!written.ok) {
      if (written.failure.kind === "changed" && tries < writes_max) continue;
      if (isSilent(written.failure)) throw errorOf(written.failure, where);
      return { result: "refused", said: `takes no tag: ${problemOf(written.failure, where).what}` };
    }
    if (written.value === "accepted")
      return { result: "accepted", said: "only takes note of a new tag (status 202)" };
    const after = valueOf(await bmc.readTag(), where);
    if (after.tag === text) return undefined;
    return { result: "staged", said: "does not show a new tag at once" };
  }
}

/** Until it answers again, and was seen away in between: what it says before its restart proves nothing. */
async function restart(trial: TagTrial): Promise<TagFinding | undefined> {
  const { client, say, times = trial_times } = trial;
  const { again_ms, away_ms, back_ms } = times;
  const refusal = await command(trial);
  if (refusal !== undefined)
    return { result: "untestable", said: `could not be tested with a reset: ${refusal}` };
  const begun_ms = now_ms();
  const spent_ms = () => now_ms() - begun_ms;
  say("its BMC restarts");
  for (let silent = 0; silent < away_calls; ) {
    if (spent_ms() > away_ms)
      return {
        result: "untestable",
        said: "could not be tested with a reset: it took the command and was not seen to restart",
      };
    await sleep(again_ms);
    silent = (await (await client()).root()).ok ? 0 : silent + 1;
  }
  // Also the System, by which it is fenced: the root alone comes up earlier.
  while (!(await (await client()).powerState()).ok) {
    say(`its BMC is away, for ${Math.round(spent_ms() / 1000)} s`);
    if (spent_ms() > back_ms)
      return {
        result: "lost",
        said: `did not come back within ${Math.round(back_ms / 1000)} s of its reset`,
      };
    await sleep(again_ms);
  }
  say(`its BMC was away for ${Math.round(spent_ms() / 1000)} s`);
  return undefined;
}

/** The harder of the two where it is offered: it is nearer to a loss of power. What it refuses, or why it can't. */
async function command({ client, where }: TagTrial): Promise<string | undefined> {
  const bmc = await client();
  let refusal = "";
  for (const type of ["ForceRestart", "GracefulRestart"]) {
    const taken = await bmc.resetManager(type);
    if (taken.ok) return undefined;
    if (isSilent(taken.failure)) throw errorOf(taken.failure, where);
    refusal = problemOf(taken.failure, where).what;
  }
  return refusal;
}

async function readBack({ client, text, where, times = trial_times }: TagTrial): Promise<TagFinding> {
  const end_ms = now_ms() + times.settle_ms;
  for (let seen = 0; ; ) {
    const read = await (await client()).readTag();
    const found = read.ok ? read.value.tag : undefined;
    seen = found === text ? seen + 1 : 0;
    if (seen > 1) return { result: "kept", said: "keeps its tag over a reset" };
    // Another text: an agent has found nothing there, and written the site's tag.
    const other = found !== undefined && found !== null && found !== "" && found !== text;
    if (other || now_ms() > end_ms) {
      if (!read.ok) throw errorOf(read.failure, where);
      return { result: "forgot", said: "forgets its tag when it is reset" };
    }
    await sleep(times.again_ms);
  }
}

/** Nobody answered: that is no word about the tag. */
const isSilent = ({ kind }: Failure): boolean =>
  kind === "unreachable" || kind === "deadline" || kind === "untrusted";

function valueOf<T>(result: Result<T>, where: string): T {
  if (result.ok) return result.value;
  throw errorOf(result.failure, where);
}

const errorOf = (failure: Failure, where: string): DuetError => new DuetError([problemOf(failure, where)]);
