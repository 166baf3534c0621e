import type { EventName } from "./entry.ts";
import type { Scene } from "./scene.ts";
import type { Phase } from "./timeline.ts";

/** What is known of a phase. */
export type Known = Omit<Phase, "name">;
export const unknown = (note?: string): Known => ({
  at_ms: undefined,
  machine: undefined,
  rule: undefined,
  note,
});

/** Of the survivor's. */
export const eventsOf = ({ placed, survivor }: Scene, ...names: readonly EventName[]) =>
  placed.flatMap(({ at_ms, entry }) =>
    entry.machine === survivor && entry.kind === "event" && names.includes(entry.event)
      ? [{ at_ms, detail: entry.detail }]
      : [],
  );
