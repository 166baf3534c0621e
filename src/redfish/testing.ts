import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { X509Certificate } from "node:crypto";
import { password, testTls, username } from "../../lab/bmc/testing.ts";
import { Secret } from "../base/secret.ts";
import type { LoadedTrust } from "../machine/trust.ts";
import type { BmcService } from "./client.ts";

/** For tests: a service at a port of this box, trusted through its own certificate unless told otherwise. */
export async function serviceAt(port: number, changes: Partial<BmcService> = {}): Promise<BmcService> {
  return {
    url: `https://127.0.0.1:${port}`,
    credentials: { username, password: new Secret(password) },
    trust: { by: "ca", pem: (await testTls()).cert },
    deadline_ms: 5_000,
    ...changes,
  };
}

export async function fingerprintTrust(): Promise<Extract<LoadedTrust, { by: "fingerprint" }>> {
  const { fingerprint256 } = new X509Certificate((await testTls()).cert);
  return { by: "fingerprint", sha256: fingerprint256.replaceAll(":", "").toLowerCase() };
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

export interface FakeService extends AsyncDisposable {
  readonly port: number;
  readonly asked: readonly Asked[];
}

export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A service that says whatever a test wants, right or wrong. */
export async function fakeService(answer: (asked: Asked) => FakeAnswer): Promise<FakeService> {
  const asked: Asked[] = [];
  const server: Server = createServer(await testTls(), (request, response) => {
    const each = { method: request.method ?? "", path: request.url ?? "", headers: request.headers };
    asked.push(each);
    const { status = 200, headers = {}, body } = answer(each);
    response.writeHead(status, headers);
    response.end(typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body));
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      resolve(portOf(server.address()));
    });
  });
  return {
    port,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("not listening");
  return address.port;
}
