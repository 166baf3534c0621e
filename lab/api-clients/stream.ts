import { request } from "node:https";
import { createInterface } from "node:readline";
import * as v from "valibot";
import type { KubeApi } from "../../src/machine/kube-api.ts";
import { call_ms_max, objectShape, watchPath } from "./api.ts";

/** Nothing for so long, not even a bookmark, and the watch is begun again. */
const silence_ms_max = 90_000;
/**
 * TCP asks after a silent peer so often. When the address has moved, the machine that has it now knows no such connection and says
 * so: a watch on a machine that lost its power ends within a second of the move.
 */
const alive_ms = 1_000;

const eventShape = v.pipe(
  v.string(),
  v.parseJson(),
  v.union([
    v.object({ type: v.literal("ERROR"), object: v.object({ code: v.optional(v.number(), 0) }) }),
    v.object({ type: v.string(), object: objectShape }),
  ]),
);
export type WatchEvent = v.InferOutput<typeof eventShape>;

export interface Ended {
  /** 410: what came after that version is no longer known. */
  readonly gone: boolean;
  readonly said: string;
}

/** One watch, from a version on, until it ends by whatever cause. Never throws, and never stays silent for ever. */
export async function watchFrom(
  { url, tls }: KubeApi,
  namespace: string,
  version: number,
  signal: AbortSignal,
  each: (event: WatchEvent) => void,
): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const outgoing = request(new URL(watchPath(namespace, version), url), {
    ...tls,
    minVersion: "TLSv1.2",
    headers: { accept: "application/json" },
    agent: false,
    signal,
  });
  let timer: NodeJS.Timeout | undefined;
  const wait = (ms: number, what: string) => {
    clearTimeout(timer);
    timer = setTimeout(() => outgoing.destroy(new Error(what)), ms);
  };
  const end = (said: string, gone = false) => {
    clearTimeout(timer);
    resolve({ gone, said });
    outgoing.destroy();
  };
  wait(call_ms_max, `no answer within ${call_ms_max} ms`);
  outgoing.on("error", (error) => end(error.message));
  outgoing.on("close", () => end("the connection ended"));
  outgoing.on("socket", (socket) => socket.setKeepAlive(true, alive_ms));
  outgoing.on("response", (incoming) => {
    const { statusCode: status = 0 } = incoming;
    incoming.on("error", (error) => end(error.message));
    if (status !== 200) {
      end(`status ${status}`, status === 410);
      return;
    }
    wait(silence_ms_max, `silent for ${silence_ms_max} ms`);
    const lines = createInterface({ input: incoming });
    // It passes on what is wrong with its input.
    lines.on("error", (error) => end(error.message));
    lines.on("line", (line) => {
      wait(silence_ms_max, `silent for ${silence_ms_max} ms`);
      const read = v.safeParse(eventShape, line);
      // Half a line: the connection ended in the middle of it.
      if (!read.success) end("an event was cut short");
      else if ("code" in read.output.object)
        end(`the API ended it with ${read.output.object.code}`, read.output.object.code === 410);
      else each(read.output);
    });
  });
  outgoing.end();
  return await promise;
}
