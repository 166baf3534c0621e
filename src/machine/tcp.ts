import { connect } from "node:net";
import { now_ms } from "./clock.ts";

export type Connection =
  | { readonly ok: true; readonly ms: number }
  | { readonly ok: false; readonly ms: number; readonly why: string };

/** Does anybody listen there? Connects, sends nothing, hangs up. */
export async function tryConnect(host: string, port: number, deadline_ms: number): Promise<Connection> {
  const start_ms = now_ms();
  const { promise, resolve } = Promise.withResolvers<Connection>();
  const socket = connect({ host, port, signal: AbortSignal.timeout(deadline_ms) });
  socket.once("connect", () => {
    resolve({ ok: true, ms: now_ms() - start_ms });
  });
  socket.once("error", (error) => {
    const code = "code" in error ? String(error.code) : error.message;
    const why = code === "ABORT_ERR" ? `no answer within ${deadline_ms} ms` : code;
    resolve({ ok: false, ms: now_ms() - start_ms, why });
  });
  const connection = await promise;
  socket.destroy();
  return connection;
}
