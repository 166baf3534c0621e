import type { DeedKind, Kind, Phrases } from "./phrases.ts";
import type { MachineName, Moment, SlotName, SlotValues, Who } from "./slots.ts";

/** A scenario as data: what a file says, checked, with the places where it says it. */

export const world_names = ["sim", "lab"] as const;
export type WorldName = (typeof world_names)[number];

export interface Header {
  /** The first comment: what a person calls it. */
  readonly title: string;
  /** The comments below it: why it is worth running. */
  readonly why: string;
  /** A file that says nothing is for all of them. */
  readonly worlds: readonly WorldName[];
  /** Run by `npm test`, and not only by `npm run scenarios`. */
  readonly ci: boolean;
  /** Each machine also hangs on an outlet of a power distribution unit. */
  readonly pdu: boolean;
  readonly bmc: Readonly<Record<MachineName, BmcTimes>>;
  /** By which agent Pacemaker switches a machine off. */
  readonly fencing: (typeof fence_agents)[number];
  /** The site has a control plane of Kubernetes. */
  readonly kubernetes: boolean;
  /** And its API a virtual IP; without it a load balancer would have one. */
  readonly address: boolean;
  /** A stop that fails has its machine fenced. */
  readonly escalate: boolean;
}

/** How long a BMC takes for off and on. */
export interface BmcTimes {
  readonly off_ms: number;
  readonly on_ms: number;
}

export const fence_agents = ["fence_duet", "fence_redfish"] as const;

export interface Scenario {
  readonly file: string;
  readonly header: Header;
  readonly steps: readonly Step[];
}

type Words<S extends string> = S extends `${infer First} ${infer Rest}` ? First | Words<Rest> : S;

/** The values that a phrase takes, by its slots' names in lower case: `cut WIRE` takes a `wire`. */
type Values<Say extends string, W> = {
  readonly [N in Extract<Words<Say>, SlotName> as Lowercase<N>]: SlotValues<W>[N];
};

interface Limit {
  readonly within_ms: number;
  /** The line itself says that limit. */
  readonly limited: boolean;
}

/** What each kind of step asks of a world; `W` is by whom machines are named. */
export type Asks<W> = {
  readonly [K in Kind]: { readonly kind: K } & Limit & Values<Phrases[K]["say"], W>;
};
export type Ask<W = Who, K extends Kind = Kind> = { [P in K]: Asks<W>[P] }[K];

/** The story as this world is told it. */
export const toldIn = (scenario: Scenario, world: WorldName): Scenario => ({
  ...scenario,
  steps: scenario.steps.filter(({ only = world }) => only === world),
});

export interface Place {
  readonly line: number;
  readonly column: number;
  /** The step as the formatter writes it. */
  readonly text: string;
}

export type Step = Place & {
  /** Walked in this world alone: what is looked at there, and is no part of the others. Left out: in each. */
  readonly only?: WorldName;
} & (
    | { readonly at: undefined; readonly ask: Ask }
    /** To be done when that moment comes, however often the steps after it have gone on. */
    | { readonly at: Moment; readonly ask: Ask<Who, DeedKind> }
  );
