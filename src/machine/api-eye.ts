import { type ClientHttp2Session, connect, constants } from "node:http2";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import type { SecureContextOptions } from "node:tls";

/** What the API server said to one question. Undefined of `said`: it was not asked, or has not answered in time. */
export type Sign =
  | { readonly lives: false; readonly why: "gone" | "silent" }
  | { readonly lives: true; readonly said: Said | undefined };

export interface Said {
  readonly status: number;
  readonly body: string;
}

export type ApiTls = Pick<SecureContextOptions, "ca" | "cert" | "key">;

const body_bytes_max = 16 << 10;
/** One that takes connections and ends them at once must not keep us busy. */
const moment_ms = 10;

/**
 * One connection to an API server, held open: its end is seen in the moment in which it comes, and whether somebody still moves behind
 * it is asked by HTTP/2's own ping, which costs neither side anything. A new one is made with the next look.
 */
export class ApiEye {
  readonly #url: URL;
  readonly #tls: () => Promise<ApiTls>;
  #session: ClientHttp2Session | undefined;
  #ended = Promise.withResolvers<void>();

  /** `tls` is asked for each connection: certificates are renewed while this runs. */
  constructor(url: URL, tls: () => Promise<ApiTls>) {
    this.#url = url;
    this.#tls = tls;
  }

  /** So long, or until the connection ends, where there is one. Never less than a moment. */
  async rest(ms: number): Promise<void> {
    const over = new AbortController();
    const timer = sleep(ms, undefined, { signal: over.signal }).catch(() => undefined);
    if (this.#session === undefined) return await timer;
    await Promise.race([timer, this.#ended.promise]);
    over.abort();
    await sleep(Math.min(ms, moment_ms));
  }

  /** Is anybody there, and what does he say to `path`? Each of the up to three steps ends within the deadline. */
  async look(path: string | undefined, deadline_ms: number): Promise<Sign> {
    const session = this.#session ?? (await this.#open(deadline_ms));
    if (session === "gone" || session === "silent") return { lives: false, why: session };
    if (session.destroyed) return this.#lost("gone");
    const pong = await inTime(deadline_ms, (done) => session.ping((error) => done(error === null)));
    if (pong !== true) return this.#lost(pong === undefined ? "silent" : "gone");
    const said = path === undefined ? undefined : await ask(session, path, deadline_ms);
    // It hung up instead of answering.
    return this.#session === undefined ? this.#lost("gone") : { lives: true, said };
  }

  close(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }

  #lost(why: "gone" | "silent"): Sign {
    this.close();
    return { lives: false, why };
  }

  async #open(deadline_ms: number): Promise<ClientHttp2Session | "gone" | "silent"> {
    const session = tryConnect(this.#url, await this.#tls());
    if (session === undefined) return "gone";
    this.#ended = Promise.withResolvers<void>();
    const end = () => {
      if (this.#session === session) this.#session = undefined;
      this.#ended.resolve();
    };
    const open = await inTime<boolean>(deadline_ms, (done) => {
      session.once("connect", () => done(true));
      session.on("error", () => done(false));
      session.on("close", () => {
        done(false);
        end();
      });
      // It takes nothing new on this connection: it is about to end, or wants us on another.
      session.on("goaway", () => {
        end();
        session.close();
      });
    });
    if (open !== true) {
      session.destroy();
      return open === undefined ? "silent" : "gone";
    }
    // Nobody waits for this program to look once more.
    session.unref();
    this.#session = session;
    return session;
  }
}

/** Undefined where the certificate or the key is none: of what can't be asked nobody knows that it answers. */
function tryConnect(url: URL, tls: ApiTls): ClientHttp2Session | undefined {
  try {
    return connect(url, { ...tls, settings: { enablePush: false } });
  } catch {
    return undefined;
  }
}

/** Undefined where it took longer. A program that stood still itself first hears what came in the meantime. */
async function inTime<T>(
  deadline_ms: number,
  begin: (done: (value: T) => void) => void,
): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<T | undefined>();
  const timer = setTimeout(() => {
    void turn()
      .then(() => turn())
      .then(() => resolve(undefined));
  }, deadline_ms);
  try {
    begin(resolve);
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

async function ask(
  session: ClientHttp2Session,
  path: string,
  deadline_ms: number,
): Promise<Said | undefined> {
  if (session.closed || session.destroyed) return undefined;
  const stream = session.request({ [constants.HTTP2_HEADER_PATH]: path });
  let status = 0;
  let body = "";
  stream.setEncoding("utf8");
  stream.on("response", (headers) => {
    status = Number(headers[constants.HTTP2_HEADER_STATUS] ?? 0);
  });
  const whole = await inTime<boolean>(deadline_ms, (done) => {
    stream.on("data", (chunk: string) => {
      body += chunk;
      if (body.length > body_bytes_max) done(false);
    });
    stream.on("end", () => done(status !== 0));
    stream.on("error", () => done(false));
    stream.on("close", () => done(false));
  });
  if (whole === true) return { status, body };
  stream.close(constants.NGHTTP2_CANCEL);
  return undefined;
}
