import type { JsonObject } from "../core/json.ts";
import type { PowerState } from "../power/sequencer.ts";

/** The property, or none. */
export const powerState = (state: PowerState | undefined): JsonObject =>
  state === undefined ? {} : { PowerState: state };
