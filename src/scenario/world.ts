import type { Kind } from "./phrases.ts";
import type { Asks, Scenario, WorldName } from "./scenario.ts";
import type { MachineName, Moment, Role } from "./slots.ts";

/** What became of a step. For an expectation `ok` says whether it held; for a wait, whether it came in time. */
export interface Seen {
  readonly ok: boolean;
  /** What was seen, in a few words; instead of what was expected, where that was not so. */
  readonly seen: string;
  /** So long before the step ended it came, where the world can tell; left out: just then. */
  readonly ago_ms?: number;
}

/** A world does a step of each kind that is in its table. Machines are named: who plays which role is settled before. */
export type Doing = {
  readonly [K in Kind]?: (ask: Asks<MachineName>[K]) => Promise<Seen>;
};

/** Where a scenario can happen. Nothing is started before the first step. */
export interface ScenarioWorld {
  readonly name: WorldName;
  /** Whether `now_ms` is a clock on the wall. */
  readonly time: "virtual" | "real";
  /** Since the scenario began. */
  readonly now_ms: () => number;
  readonly does: Doing;
  /**
   * Who plays the role now. For `the survivor` the world waits, within a bound, until a race is settled. A role that is
   * missing here can't be told apart in this world yet.
   */
  readonly roles: { readonly [R in Role]?: () => Promise<MachineName | undefined> };
  /** Does `act` in the very moment; missing where a world can't stop. */
  readonly arm?: (moment: Moment, act: () => Promise<Seen>) => Promise<Seen>;
  /** The moments at which it can stop; left out: all that there are. */
  readonly moments?: ReadonlySet<Moment>;
  /** What was seen at moments that have come since this was asked last; one that was missed fails the step that waited. */
  readonly meanwhile?: () => Promise<Seen | undefined>;
  /** Moments that were armed and never came: then the scenario did not test what it says. */
  readonly unmet?: () => readonly string[];
  /** Behind the last step, where all went as told: what must be so of any story that ended like this one. */
  readonly end?: (scenario: Scenario) => Promise<Seen>;
  /** Why this world can't give what the header asks for, one sentence each. */
  readonly lacks?: (scenario: Scenario) => readonly string[];
}
