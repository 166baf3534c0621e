import type { Told } from "../../../src/record/entry.ts";
import type { Failover, PhaseName } from "../../../src/record/timeline.ts";

/** The clients' longest time without an acknowledged write. Milliseconds since the epoch: the box has one clock for all. */
export interface ClientGap {
  readonly begin_ms: number;
  readonly end_ms: number;
}

/** When the survivor was how far; undefined: its record does not tell. Milliseconds since the epoch. */
export interface Moments {
  readonly detected_ms: number | undefined;
  readonly commanded_ms: number | undefined;
  readonly confirmed_ms: number | undefined;
}

/** Where the clients' gap went. Together the parts are the whole, unless one is not known: then its time is in the next. */
export interface Parts {
  readonly whole_ms: number;
  /** Until the membership without the peer was formed. */
  readonly detect_ms: number | undefined;
  /** Until this machine's turn to command Off, with all that comes before the command. */
  readonly turn_ms: number | undefined;
  /** Until Off was read, and noted. */
  readonly off_ms: number | undefined;
  /** Until a client had its answer. */
  readonly takeover_ms: number | undefined;
}

const command = "command the peer's Off by";

export function momentsOf(failover: Failover, entries: readonly Told[]): Moments {
  const zero_ms = Date.parse(failover.at);
  const when = (name: PhaseName) => {
    const since_ms = failover.phases.find((phase) => phase.name === name)?.at_ms;
    return since_ms === undefined ? undefined : zero_ms + since_ms;
  };
  const [detected_ms, confirmed_ms] = [when("detected"), when("Off confirmed")];
  // The event comes with the BMC's answer; the step that leads to it begins before.
  const isCommand = (entry: Told) =>
    (entry.kind === "step" && entry.edge === "begin" && entry.step.startsWith(command)) ||
    (entry.kind === "event" && entry.event === "off commanded");
  const commands = entries
    .filter((entry) => entry.machine === failover.survivor && isCommand(entry))
    .map(({ at }) => Date.parse(at));
  const commanded_ms = commands
    .toSorted((a, b) => a - b)
    .find((each) => each >= (detected_ms ?? zero_ms) && (confirmed_ms === undefined || each <= confirmed_ms));
  return { detected_ms, commanded_ms, confirmed_ms };
}

export function partsOf({ begin_ms, end_ms }: ClientGap, moments: Moments): Parts {
  let before_ms = begin_ms;
  const until = (at_ms: number | undefined): number | undefined => {
    if (at_ms === undefined) return undefined;
    const took_ms = at_ms - before_ms;
    before_ms = at_ms;
    return took_ms;
  };
  const [detect_ms, turn_ms, off_ms] = [
    until(moments.detected_ms),
    until(moments.commanded_ms),
    until(moments.confirmed_ms),
  ];
  // Without a proof of Off there is no takeover to speak of.
  const takeover_ms = moments.confirmed_ms === undefined ? undefined : end_ms - before_ms;
  return { whole_ms: end_ms - begin_ms, detect_ms, turn_ms, off_ms, takeover_ms };
}
