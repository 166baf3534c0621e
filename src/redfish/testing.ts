import { X509Certificate } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { text } from "node:stream/consumers";
import { Secret } from "../base/secret.ts";
import { https, type HttpsAnswer } from "../machine/https.ts";
import type { BmcService } from "./client.ts";

/** For tests: what they share of TLS and login. The lab's BMC has both; passed in, because the lab stands after this. */
export interface TestKit {
  readonly tls: { readonly key: string; readonly cert: string };
  readonly login: { readonly username: string; readonly password: string };
}

/** A service at a port of this box, trusted through its own certificate unless told otherwise. */
export function serviceAt(
  { tls, login }: TestKit,
  port: number,
  changes: Partial<BmcService> = {},
): BmcService {
  return {
    url: `https://127.0.0.1:${port}`,
    credentials: { username: login.username, password: new Secret(login.password) },
    trust: { by: "ca", pem: tls.cert },
    deadline_ms: 5_000,
    ...changes,
  };
}

export function fingerprintOf({ tls }: TestKit): string {
  return new X509Certificate(tls.cert).fingerprint256.replaceAll(":", "").toLowerCase();
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly authorization?: string;
}

export interface FakeService extends AsyncDisposable {
  readonly port: number;
  readonly asked: readonly Asked[];
}

export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text as it is, anything else as JSON. */
  readonly body?: unknown;
}

/** A service that says whatever a test wants, right or wrong. */
export async function fakeService(
  { tls }: TestKit,
  answer: (asked: Asked) => FakeAnswer,
): Promise<FakeService> {
  const asked: Asked[] = [];
  const server = createServer({ ...tls }, (request, response) => {
    const { authorization } = request.headers;
    const each = { method: request.method ?? "", path: request.url ?? "" };
    asked.push(each);
    const {
      status = 200,
      headers = {},
      body = "",
    } = answer({
      ...each,
      ...(authorization === undefined ? {} : { authorization }),
    });
    response.writeHead(status, headers);
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not listening");
  return {
    port: address.port,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface Passed {
  readonly method: string;
  readonly path: string;
  /** What the BMC itself answers to it, when it is told. */
  readonly ask: () => Promise<HttpsAnswer>;
}

/** A way to a BMC of this box on which each call is answered as `answer` says; undefined: not at all. */
export async function wayTo(
  port: number,
  { tls }: Pick<TestKit, "tls">,
  answer: (call: Passed) => Promise<HttpsAnswer | undefined>,
): Promise<AsyncDisposable & { readonly port: number }> {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url: path = "", headers } = request;
    const body = await text(request);
    const kept: Record<string, string> = {};
    for (const name of ["authorization", "content-type", "if-match"]) {
      const value = headers[name];
      if (typeof value === "string") kept[name] = value;
    }
    const ask = () =>
      https({
        url: new URL(`https://127.0.0.1:${port}${path}`),
        method,
        headers: kept,
        ...(body === "" ? {} : { body }),
        deadline_ms: 10_000,
        tls: { ca: tls.cert },
      });
    const answered = await answer({ method, path, ask });
    if (answered === undefined) return;
    const { "content-length": _, "transfer-encoding": __, ...given } = answered.headers;
    response.writeHead(answered.status, given);
    response.end(answered.body);
  };
  const server = createServer(tls, (request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not listening");
  return {
    port: address.port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
