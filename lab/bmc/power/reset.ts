import type { PowerState, Step } from "./sequencer.ts";

/** The standard's reset types that this BMC offers, in the order in which it lists them. */
export const resetTypes = [
  "On",
  "ForceOn",
  "ForceOff",
  "GracefulShutdown",
  "GracefulRestart",
  "ForceRestart",
  "PushPowerButton",
  "PowerCycle",
] as const;
export type ResetType = (typeof resetTypes)[number];
export const isResetType = (value: unknown): value is ResetType => resetTypes.some((type) => type === value);

/** What a reset comes to, given the power state that it meets. */
export type ResetPlan =
  | { readonly do: "nothing" }
  | { readonly do: "steps"; readonly steps: readonly [Step, ...Step[]] }
  /** The button: the OS decides; a hung one stays on. */
  | { readonly do: "press"; readonly next: "nothing" | "on" }
  /** An off that is under way becomes final. */
  | { readonly do: "stay off" }
  | { readonly do: "refuse"; readonly why: "in transition" | "is off" };

const nothing: ResetPlan = { do: "nothing" };
const inTransition: ResetPlan = { do: "refuse", why: "in transition" };
const press = (next: "nothing" | "on"): ResetPlan => ({ do: "press", next });
const steps = (...list: readonly [Step, ...Step[]]): ResetPlan => ({ do: "steps", steps: list });

/**
 * Commands for a state that is reached already succeed and do nothing: fence agents send ForceOff to what is off and take an
 * error for a fence that failed. ForceOff always wins, also over a power-on under way; everything else is refused in between.
 */
export function planReset(type: ResetType, state: PowerState): ResetPlan {
  switch (type) {
    case "On":
    case "ForceOn":
      if (state === "PoweringOff") return inTransition;
      return state === "Off" ? steps("on") : nothing;
    case "ForceOff":
      if (state === "PoweringOff") return { do: "stay off" };
      return state === "Off" ? nothing : steps("off");
    case "GracefulShutdown":
      if (state === "PoweringOn") return inTransition;
      return state === "On" ? press("nothing") : nothing;
    case "PushPowerButton":
      if (state === "On") return press("nothing");
      return state === "Off" ? steps("on") : inTransition;
    case "GracefulRestart":
      return restart(state, press("on"));
    case "ForceRestart":
    case "PowerCycle":
      return restart(state, steps("off", "on"));
  }
}

function restart(state: PowerState, plan: ResetPlan): ResetPlan {
  if (state === "Off") return { do: "refuse", why: "is off" };
  return state === "On" ? plan : inTransition;
}
