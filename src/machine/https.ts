import { request, type RequestOptions } from "node:https";
import { type PeerCertificate, TLSSocket } from "node:tls";

export interface HttpsCall {
  readonly url: URL;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** From connect to the last byte: a stalled handshake and a dripping body end here too. */
  readonly deadline_ms: number;
  readonly tls: RequestOptions & { readonly ca?: string };
  readonly body_bytes_max?: number;
  /** Looks at the peer's certificate before a byte of the request is sent; throwing ends the call. */
  readonly verify?: (certificate: PeerCertificate) => void;
}

export interface HttpsAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Of what `https` threw: had the whole call gone out by then? If not, nobody can have done it. */
export const wasSent = (error: unknown): boolean =>
  error instanceof Error && "sent" in error && error.sent === true;

/** The one door for HTTPS calls. `timeout:` of node:https misses stalls in TLS and in the body, so a signal bounds all. */
export async function https(call: HttpsCall): Promise<HttpsAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpsAnswer>();
  const signal = AbortSignal.timeout(call.deadline_ms);
  const outgoing = request(call.url, {
    ...call.tls,
    method: call.method,
    headers: {
      ...call.headers,
      ...(call.body === undefined ? {} : { "content-length": String(Buffer.byteLength(call.body)) }),
    },
    signal,
    agent: false,
  });
  const end = (error: Error) => {
    const told = signal.aborted ? new Error(`no complete answer within ${call.deadline_ms} ms`) : error;
    reject(Object.assign(told, { sent: outgoing.writableFinished }));
  };
  outgoing.on("error", end);
  outgoing.on("response", (incoming) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    incoming.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > (call.body_bytes_max ?? 4 << 20)) incoming.destroy(new Error("answer too long"));
    });
    incoming.on("error", end);
    incoming.on("end", () => {
      const headers: Record<string, string> = {};
      for (const [name, value] of Object.entries(incoming.headers)) {
        if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
      }
      resolve({ status: incoming.statusCode ?? 0, headers, body: Buffer.concat(chunks).toString() });
    });
  });
  const send = () => {
    outgoing.end(call.body);
  };
  const { verify } = call;
  if (verify === undefined) send();
  else
    outgoing.on("socket", (socket) => {
      socket.once("secureConnect", () => {
        try {
          if (!(socket instanceof TLSSocket)) throw new Error("not a TLS connection");
          verify(socket.getPeerCertificate());
          send();
        } catch (error) {
          outgoing.destroy(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
  return await promise;
}
