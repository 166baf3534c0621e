import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as timer } from "node:timers/promises";
import { type Answer, errorAnswer } from "../core/answer.ts";
import { message } from "../core/message.ts";
import { type Fault, has } from "../fault.ts";
import { bodyText } from "./read.ts";
import type { HttpRequest } from "./request.ts";
import { drip } from "./drip.ts";

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly key: string; readonly cert: string };
  readonly faults: () => readonly Fault[];
  readonly handle: (request: HttpRequest) => Promise<Answer>;
  readonly log: (sentence: string) => void;
}

const body_bytes_max = 64 << 10;
const connections_max = 200;
/** A client that does not hang up does not hold up what follows its answer. */
const after_ms_max = 500;

/** TCP, TLS and HTTP, with the faults that live there. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #https: ReturnType<typeof createHttpsServer>;
  readonly #sockets = new Set<Socket>();
  #tcp: Server | undefined;
  #port: number;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#port = options.port;
    this.#https = createHttpsServer({ ...options.tls, minVersion: "TLSv1.2", maxHeaderSize: 16 << 10 });
    this.#https.headersTimeout = 20_000;
    this.#https.requestTimeout = 30_000;
    this.#https.on("request", (request, response) => {
      this.#exchange(request, response).catch((error: unknown) => {
        options.log(`a connection broke: ${String(error)}`);
        response.destroy();
      });
    });
    this.#https.on("clientError", refuseUnreadable);
  }

  get port(): number {
    return this.#port;
  }

  /** Listens; after a stop on the same port again. */
  async start(): Promise<void> {
    const tcp = createServer((socket) => {
      this.#accept(socket);
    });
    tcp.maxConnections = connections_max;
    await new Promise<void>((resolve, reject) => {
      tcp.once("error", reject);
      tcp.listen(this.#port, this.#options.host, () => {
        tcp.off("error", reject);
        resolve();
      });
    });
    const address = tcp.address();
    if (typeof address === "object" && address !== null) this.#port = address.port;
    this.#tcp = tcp;
  }

  /** Drops every connection at once; a BMC that restarts says no goodbye. */
  async stop(): Promise<void> {
    const tcp = this.#tcp;
    this.#tcp = undefined;
    if (tcp === undefined) return;
    const closed = new Promise<void>((resolve) => {
      tcp.close(() => {
        resolve();
      });
    });
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {
      // The client went away: its own affair.
    });
    try {
      // Read and forget: the client's hello is acknowledged by TCP, and its end is noticed.
      if (has(this.#options.faults(), "hang-in-tls")) socket.resume();
      else this.#https.emit("connection", socket);
    } catch (error) {
      this.#options.log(`the faults can't be read: ${String(error)}`);
      socket.destroy();
    }
  }

  async #exchange(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const faults = this.#options.faults();
    if (has(faults, "hang-after-connect")) {
      incoming.resume();
      return;
    }
    const body = await readBody(incoming);
    const answer =
      body === undefined
        ? errorAnswer(413, [message("PayloadTooLarge")], { connection: "close", "odata-version": "4.0" })
        : await this.#options.handle({
            method: incoming.method ?? "",
            target: incoming.url ?? "",
            headers: flat(incoming),
            body,
          });
    if (has(faults, "drip")) await drip(incoming.socket, raw(answer, incoming.method));
    else await send(response, answer, incoming.method);
    answer.after?.();
  }
}

/** The body, or undefined where it is longer than anything that Redfish sends. */
async function readBody(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > body_bytes_max) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function flat(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  return headers;
}

/** Where something follows the answer, the connection ends with it: its end shows that the client has it all. */
async function send(response: ServerResponse, answer: Answer, method: string | undefined): Promise<void> {
  const { headers, text } = headed(answer);
  const last = answer.after !== undefined;
  const { socket } = response;
  response.writeHead(answer.status, last ? { ...headers, connection: "close" } : headers);
  response.end(method === "HEAD" ? undefined : text);
  if (last && socket !== null && !socket.destroyed)
    await Promise.race([once(socket, "close"), timer(after_ms_max, undefined, { ref: false })]);
}

function headed(answer: Answer): { headers: Record<string, string>; text: string } {
  const body = bodyText(answer);
  const text = body?.text ?? "";
  const headers: Record<string, string> = { ...answer.headers };
  if (body !== undefined) headers["content-type"] = body.type;
  if (answer.status !== 204 && answer.status !== 304)
    headers["content-length"] = String(Buffer.byteLength(text));
  return { headers, text };
}

function raw(answer: Answer, method: string | undefined): string {
  const { headers, text } = headed(answer);
  const lines = Object.entries({ ...headers, connection: "close" }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const head = [`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ""}`, ...lines].join("\r\n");
  return `${head}\r\n\r\n${method === "HEAD" ? "" : text}`;
}

/** What node:http can't parse: a method that does not exist is 501 (DSP0266), the rest is the client's fault. */
function refuseUnreadable(
  error: Error & { code?: string },
  socket: NodeJS.WritableStream & { writable: boolean; destroy?: () => void },
): void {
  const status = error.code === "HPE_INVALID_METHOD" ? 501 : error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400;
  if (socket.writable)
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\nodata-version: 4.0\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
    );
}
