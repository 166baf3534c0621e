import { join } from "node:path";
import * as v from "valibot";
import type { Lab } from "../../../lab/folder.ts";
import { runIn, seatName } from "../../../lab/run.ts";
import { quantile } from "../../bench-table.ts";
import { allTime_ms } from "./processes.ts";

/** Each sends a write, waits for its answer, and sends the next. */
export const clients = 16;
/** Connections are made, caches filled. */
export const warm_ms = 2_000;
/** To start the program, to make a namespace, and for the last answers. */
const around_ms = 60_000;
const output_bytes_max = 64 << 20;

/** Milliseconds of one clock. */
const callShape = v.object({ begin_ms: v.number(), end_ms: v.number(), ok: v.boolean() });
export type PressCall = v.InferOutput<typeof callShape>;

const pressedShape = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    /** The window that counts. */
    begin_ms: v.number(),
    end_ms: v.number(),
    calls: v.array(callShape),
  }),
);
export type Pressed = v.InferOutput<typeof pressedShape>;

export interface Pressure {
  readonly writes_per_s: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** Calls with another end than success, in the window. */
  readonly failed: number;
  /** Processor time of all machines together, for each write that was acknowledged. */
  readonly cpu_per_write_ms: number;
}

/** Throughput and latency of what was answered within the window; the processor time is of the whole. */
export function pressureOf({ begin_ms, end_ms, calls }: Pressed, cpu_ms: number): Pressure {
  const within = calls.filter((call) => call.end_ms >= begin_ms && call.end_ms < end_ms);
  const took_ms = within.filter(({ ok }) => ok).map((call) => call.end_ms - call.begin_ms);
  return {
    writes_per_s: (took_ms.length * 1000) / (end_ms - begin_ms),
    p50_ms: quantile(took_ms, 0.5),
    p99_ms: quantile(took_ms, 0.99),
    failed: within.length - took_ms.length,
    cpu_per_write_ms: cpu_ms / calls.filter(({ ok }) => ok).length,
  };
}

/** Clients at the operator's seat create ConfigMaps at one API server as fast as it answers. What they wrote stays. */
export async function press(lab: Lab, server: string, window_ms: number): Promise<Pressure> {
  const program = [process.execPath, join(import.meta.dirname, "press.ts")];
  const kubeconfig = join(lab.folder, "site", "kubeconfig");
  const namespace = `pressed-${Date.now()}`;
  const words = [kubeconfig, server, namespace, ...[clients, warm_ms, window_ms].map(String)];
  const before_ms = await allTime_ms(lab);
  const { stdout } = await runIn(lab, seatName, [...program, ...words], {
    deadline_ms: warm_ms + window_ms + around_ms,
    output_bytes_max,
  });
  const cpu_ms = (await allTime_ms(lab)) - before_ms;
  return pressureOf(v.parse(pressedShape, stdout), cpu_ms);
}
