import { connect } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { now_ms } from "./clock.ts";

export type Connection =
  | { readonly ok: true; readonly ms: number }
  | { readonly ok: false; readonly ms: number; readonly why: string };

/**
 * Does anybody listen there? Connects, sends nothing, hangs up. With `tls` after the handshake: who hangs up before is a
 * `rejected connection` in the log of an etcd.
 */
export async function tryConnect(
  host: string,
  port: number,
  deadline_ms: number,
  tls?: ConnectionOptions,
): Promise<Connection> {
  const start_ms = now_ms();
  const { promise, resolve } = Promise.withResolvers<Connection>();
  const plain = connect({ host, port, signal: AbortSignal.timeout(deadline_ms) });
  const socket = tls === undefined ? plain : connectTls({ ...tls, host, socket: plain });
  if (socket !== plain) plain.on("error", (error) => socket.destroy(error));
  socket.once(tls === undefined ? "connect" : "secureConnect", () => {
    resolve({ ok: true, ms: now_ms() - start_ms });
  });
  socket.on("error", (error: Error) => {
    const code = "code" in error ? String(error.code) : error.message;
    const why = code === "ABORT_ERR" ? `no answer within ${deadline_ms} ms` : code;
    resolve({ ok: false, ms: now_ms() - start_ms, why });
  });
  const connection = await promise;
  // In order: a handshake that is broken off would be told, too.
  if (connection.ok && tls !== undefined) socket.end();
  else socket.destroy();
  return connection;
}
