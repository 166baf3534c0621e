import { createServer } from "node:https";
import type { Event } from "./event.ts";
import { type Message, messageOf } from "./message.ts";

/** For tests: a Sunday in November. */
export const at_ms = Date.UTC(2026, 10, 15, 3, 12, 7, 250);

export const sample = (id: string, change: Partial<Event> = {}): { event: Event; message: Message } => {
  const event: Event = { kind: "machine-lost", at_ms, about: "node2", ...change };
  return { event, message: messageOf(event, { site: "shop-0042", machine: "node1", id }) };
};

export interface Got {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

export interface Receiver extends AsyncDisposable {
  readonly port: number;
  readonly got: readonly Got[];
  /** What it answers with; "never": nothing. */
  answer: number | "never";
}

/** A webhook of its own on loopback, at a port of its own or at the given one. */
export async function receiver(
  tls: { readonly key: string; readonly cert: string },
  port = 0,
): Promise<Receiver> {
  const got: Got[] = [];
  const server = createServer({ ...tls }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      got.push({ method, path: url, headers, body: Buffer.concat(chunks).toString() });
      if (self.answer === "never") return;
      response.writeHead(self.answer, { location: "https://127.0.0.1:1/elsewhere" });
      response.end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not listening");
  const self: Receiver = {
    port: address.port,
    got,
    answer: 204,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return self;
}
