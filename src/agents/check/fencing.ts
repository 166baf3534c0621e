import { windowOf_ms } from "../../base/turn.ts";
import type { FenceTimes } from "../../render/fence-times.ts";
import type { Machine, Site } from "../../site/site.ts";
import type { Finding } from "./finding.ts";
import type { ProbeReport } from "./probe.ts";

interface Asked {
  readonly name: string;
  readonly fencing?: ProbeReport["fencing"];
}

const check = "fence time";
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
/** Of the room that a fence has in the race: with less than this left, a slow day lets both go off. */
const margin_share = 0.2;
const day_ms = 86_400_000;
/** Nothing measures it again by itself, and no real fence raises it. */
const old_ms = 365 * day_ms;

/**
 * How long it takes to fence each machine, as its cluster has it, and the margin in the race: a fence slower than what a turn
 * has room for can leave both machines off. Nothing where no machine could be asked.
 */
export function judgeFencing(
  site: Site,
  asked: readonly Asked[],
  now_ms: number = Date.now(),
): readonly Finding[] {
  const told = asked.flatMap(({ name, fencing }) => (fencing === undefined ? [] : [{ name, ...fencing }]));
  const [first, second] = told;
  if (first === undefined) return [];
  return [
    ...(second === undefined ? [] : judgeAgreement(first, second)),
    ...site.machines.map((machine) =>
      judgeOne(site, machine, first.times[machine.name], first.turn_ms - windowOf_ms(first.turn_ms), now_ms),
    ),
  ];
}

function judgeAgreement(
  first: { readonly name: string; readonly turn_ms: number },
  second: { readonly name: string; readonly turn_ms: number },
): readonly Finding[] {
  if (first.turn_ms === second.turn_ms) return [];
  return [
    {
      subject: "site",
      check: "race",
      mark: "fail",
      detail: `${first.name} counts turns of ${seconds(first.turn_ms)}, ${second.name} of ${seconds(second.turn_ms)}: with the wire cut both could go off`,
      fix: "see that both have the same site file, and that both are online in one cluster",
    },
  ];
}

function judgeOne(
  site: Site,
  { name: subject, bmc }: Machine,
  times: ProbeTimes | undefined,
  room_ms: number,
  now_ms: number,
): Finding {
  const known: FenceTimes | undefined = times === undefined ? undefined : asFenceTimes(times);
  const call =
    known === undefined
      ? "nothing was measured yet"
      : `a call to its BMC takes ${known.call_ms_median} ms, at most ${known.call_ms_worst} ms (${known.calls} calls)`;
  if (known?.off === undefined)
    return {
      subject,
      check,
      mark: "note",
      detail: `${call}; it was never switched off for real, so the race counts with timeouts.fence (${seconds(site.timeouts.fence_ms)}) and leaves ${seconds(room_ms)}`,
      fix: `\`duet fence-test ${subject} --disruptive\` measures it; ${subject} is switched off and on by that`,
    };
  const { worst_ms, at } = known.off;
  const margin_ms = room_ms - worst_ms;
  const detail = `Off took ${seconds(worst_ms)} at the slowest (measured ${at.slice(0, 10)}, ${ageOf(at, now_ms)}), the race leaves ${seconds(room_ms)}: a margin of ${seconds(margin_ms)}; ${call}`;
  const seen = { subject, check, detail, ms: worst_ms, margin_ms };
  if (worst_ms > site.timeouts.fence_ms)
    return {
      ...seen,
      mark: "fail",
      fix: `it is slower than timeouts.fence (${seconds(site.timeouts.fence_ms)}): raise that, or see to ${bmc.url}`,
    };
  if (margin_ms < margin_share * room_ms)
    return { ...seen, mark: "warn", fix: `its BMC is nearly too slow for the race: see to ${bmc.url}` };
  if (now_ms - Date.parse(at) > old_ms)
    return {
      ...seen,
      mark: "warn",
      fix: `that is long ago, and a BMC changes with its firmware and its age: \`duet fence-test ${subject} --disruptive\` measures it again`,
    };
  return { ...seen, mark: "ok" };
}

function ageOf(at: string, now_ms: number): string {
  const days = Math.floor((now_ms - Date.parse(at)) / day_ms);
  return days < 1 ? "within the last day" : days === 1 ? "1 day ago" : `${days} days ago`;
}

type ProbeTimes = NonNullable<ProbeReport["fencing"]>["times"][string];

const asFenceTimes = ({ off, ...calls }: ProbeTimes): FenceTimes => ({
  ...calls,
  ...(off === undefined ? {} : { off }),
});
