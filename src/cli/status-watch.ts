import { exit } from "../base/problem.ts";
import { judge } from "../agents/status/judge.ts";
import type { Status, Views } from "../agents/status/status.ts";
import { now_ms, sleep } from "../machine/clock.ts";
import { endRunning } from "../machine/process.ts";
import { drawn, type StatusOptions } from "./status-draw.ts";

const again_ms = 1_000;
/** BMCs are slow, and have few sessions: their answer is kept for so long. */
const power_ms = 15_000;
/** So that "12 s ago" stays about right. */
const redraw_ms = 10_000;
const clear = "\u001b[H\u001b[2J";

type See = (power: boolean) => Promise<Views>;

/** One look after the other. Each is judged with the power that was read last, not only the one that reads it. */
export function looks(see: See, power: boolean): (begun_ms: number) => Promise<Status> {
  let asked_ms = Number.NEGATIVE_INFINITY;
  let read: Views["power"] = {};
  return async (begun_ms) => {
    const ask = power && begun_ms - asked_ms >= power_ms;
    const views = await see(ask);
    if (ask) {
      asked_ms = begun_ms;
      read = views.power;
    }
    return judge({ ...views, power: read });
  };
}

/** Draws it anew where it is another than before, at most once a second, until somebody ends it. */
export async function watchStatus(see: See, options: StatusOptions): Promise<never> {
  const end = () => {
    endRunning();
    process.exit(exit.ok);
  };
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  let last = "";
  let drawn_ms = Number.NEGATIVE_INFINITY;
  const look = looks(see, options.power);
  for (;;) {
    const begun_ms = now_ms();
    const status = await look(begun_ms);
    const text = essence(status);
    const stale = process.stdout.isTTY && begun_ms - drawn_ms >= redraw_ms;
    if (text !== last || stale) {
      drawn_ms = begun_ms;
      process.stdout.write(options.json === true ? `${JSON.stringify(status)}\n` : screen(status));
    }
    last = text;
    await sleep(Math.max(0, again_ms - (now_ms() - begun_ms)));
  }
}

const screen = (status: Status): string =>
  process.stdout.isTTY ? `${clear}${drawn(status)}` : `${drawn(status)}\n`;

/** Without what only the clock changes. */
export const essence = (status: Status): string =>
  JSON.stringify({
    ...status,
    at_ms: 0,
    machines: status.machines.map(({ says, ...each }) => ({
      ...each,
      says: says.known ? [says.value?.rule, says.value?.sentence] : says.why,
    })),
  });
