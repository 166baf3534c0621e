import type { MachineName } from "../src/scenario/slots.ts";
import type { Doing } from "../src/scenario/world.ts";
import { runIn } from "./run.ts";
import type { Stage } from "./scenario-stage.ts";

/** Half of what it takes where nothing is left to do and nobody else is busy; on a busy box it is killed earlier on its way. */
const half_s = 0.6;
const killed = 137;
/** It waits for a peer that is there, and has little left to do. */
const whole_ms = 180_000;

export function setupWords(stage: Stage): Doing {
  /** Its status, and the last that it said. */
  const setUp = async (machine: MachineName, ...through: readonly string[]) => {
    const { status, stderr } = await runIn(await stage.lab(), machine, [...through, "duet", "setup"], {
      accept: "any",
      deadline_ms: whole_ms,
    });
    return { status, last: stderr.trimEnd().split("\n").at(-1)?.trim() ?? "" };
  };
  return {
    "run-setup": async ({ machine }) => {
      const { status, last } = await setUp(machine);
      return status === 0
        ? { ok: true, seen: "" }
        : { ok: false, seen: `it ended with status ${status}: ${last}` };
    },
    "interrupt-setup": async ({ machine }) => {
      // timeout's KILL goes to its whole group: what setup has started dies with it.
      const { status, last } = await setUp(machine, "timeout", "--signal=KILL", String(half_s));
      return status === killed
        ? { ok: true, seen: `killed at: ${last}` }
        : { ok: false, seen: `it was not killed, and ended with status ${status}: ${last}` };
    },
  };
}
