import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { https, type HttpsAnswer } from "../../machine/https.ts";
import type { Site } from "../../site/site.ts";
import type { Rotating } from "./rotate.ts";

/** For tests: two machines that hear each other, each with its own files below a folder. */
export class Pair {
  readonly #folder: string;
  readonly #site: Site;
  readonly #words = new Map<string, string>();
  readonly steps: string[] = [];
  /** Who is in the cluster. */
  readonly members = new Set(["node1", "node2"]);

  constructor(folder: string, site: Site) {
    this.#folder = folder;
    this.#site = site;
  }

  /** As setup leaves it. */
  async make(me: string, line: string, certificate: string): Promise<Rotating> {
    const folder = join(this.#folder, me);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "ca.crt"), certificate);
    await writeFile(join(folder, "bmc.credentials"), line, { mode: 0o600 });
    const peer = me === "node1" ? "node2" : "node1";
    const together = () => this.members.has(me) && this.members.has(peer);
    return {
      site: this.#site,
      me,
      folder,
      rotations: join(folder, "rotations"),
      run: join(folder, "run"),
      key: async () => Buffer.alloc(256, 7),
      heard: async () => (together() ? this.#words.get(peer) : undefined),
      tell: async (text) => {
        this.#words.set(me, text);
        return true;
      },
      peer: async () => (together() ? "there" : "off"),
      isWhole: async () => together(),
      step: async (name, work) => {
        this.steps.push(name);
        return await work(() => undefined);
      },
      patience_ms: 3_000,
      pauses_ms: [0, 50, 100],
    };
  }

  /** All that they have told each other. */
  get words(): string {
    return [...this.#words.values()].join("\n");
  }
}

export const lineIn = (folder: string, name = "bmc.credentials"): Promise<string | undefined> =>
  readFile(join(folder, name), "utf8").catch(() => undefined);

export interface Passed {
  readonly method: string;
  readonly path: string;
  /** What the BMC itself answers to it, when it is told. */
  readonly ask: () => Promise<HttpsAnswer>;
}

/** For tests: a way to a BMC of this box on which each call is answered as `answer` says; undefined: not at all. */
export async function wayTo(
  port: number,
  tls: { readonly key: string; readonly cert: string },
  answer: (call: Passed) => Promise<HttpsAnswer | undefined>,
): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer(tls, async (request, response) => {
    const { method = "", url: path = "", headers } = request;
    const body = await text(request);
    const kept = ["authorization", "content-type", "if-match"].flatMap((name) => {
      const value = headers[name];
      return typeof value === "string" ? [[name, value]] : [];
    });
    const ask = () =>
      https({
        url: new URL(`https://127.0.0.1:${port}${path}`),
        method,
        headers: Object.fromEntries(kept),
        ...(body === "" ? {} : { body }),
        deadline_ms: 10_000,
        tls: { ca: tls.cert },
      });
    const answered = await answer({ method, path, ask });
    if (answered === undefined) return;
    const { "content-length": _, "transfer-encoding": __, ...given } = answered.headers;
    response.writeHead(answered.status, given);
    response.end(answered.body);
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
