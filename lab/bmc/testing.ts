import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "../../src/base/secret.ts";
import { https, type HttpsAnswer } from "../../src/machine/https.ts";
import { run } from "../../src/machine/process.ts";
import { type BmcConfig, startBmc } from "./bmc.ts";
import type { Running } from "./config.ts";
import { isObject, type Json, type JsonObject, parseJson } from "./core/json.ts";
import type { Feed, Metal } from "./metal.ts";
import { startPdu } from "./pdu.ts";

/** A machine in memory: it remembers what was done to it, and can hang. */
export class FakeMetal implements Metal {
  readonly done: string[] = [];
  powered: boolean;
  hung = false;
  /** While set, switching waits for it: a test can look at the state in between. */
  gate: Promise<void> = Promise.resolve();

  constructor(powered = false) {
    this.powered = powered;
  }
  async on(): Promise<void> {
    await this.gate;
    this.done.push("on");
    this.powered = true;
  }
  async cut(): Promise<void> {
    await this.gate;
    this.done.push("cut");
    this.powered = false;
    this.hung = false;
  }
  async press(): Promise<void> {
    this.done.push("press");
    if (!this.hung) this.powered = false;
  }
  async isOn(): Promise<boolean> {
    return this.powered;
  }
}

export class FakeFeed implements Feed {
  powered = true;
  async on(): Promise<void> {
    this.powered = true;
  }
  async off(): Promise<void> {
    this.powered = false;
  }
  async isOn(): Promise<boolean> {
    return this.powered;
  }
}

export const username = "admin";
/** With everything that breaks a careless client. */
export const password = 'a $ecret `with` "quotes" & colons: ü';

let made: Promise<{ key: string; cert: string }> | undefined;

/** A self-signed certificate for the loopback addresses; made once per process. */
export async function testTls(): Promise<{ key: string; cert: string }> {
  made ??= makeTls();
  return await made;
}

async function makeTls(): Promise<{ key: string; cert: string }> {
  const folder = await mkdtemp(join(tmpdir(), "duet-bmc-tls-"));
  try {
    const key = join(folder, "key.pem");
    const cert = join(folder, "cert.pem");
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    const names = ["-subj", "/CN=bmc", "-addext", "subjectAltName=IP:127.0.0.1,IP:::1"];
    await run(["openssl", "req", "-x509", ...curve, "-keyout", key, "-out", cert, "-days", "2", ...names]);
    return { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8") };
  } finally {
    await rm(folder, { recursive: true });
  }
}

export interface Bench extends AsyncDisposable {
  readonly bmc: Running;
  readonly metal: FakeMetal;
  readonly folder: string;
  readonly log: readonly string[];
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** Stops the BMC's process and starts it again, as after a crash, or after its power was away. */
  restart(options?: Partial<BmcConfig>): Promise<void>;
}

export interface CallOptions {
  readonly body?: Json;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly login?: { readonly username: string; readonly password: string } | "none";
  readonly deadline_ms?: number;
}

export interface Reply extends HttpsAnswer {
  readonly json: JsonObject;
}

export async function call(
  port: number,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Reply> {
  const login = options.login ?? { username, password };
  const sent = options.text ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  const answer = await https({
    url: new URL(`https://127.0.0.1:${port}${path}`),
    method,
    headers: {
      ...(login === "none"
        ? {}
        : {
            authorization: `Basic ${Buffer.from(`${login.username}:${login.password}`).toString("base64")}`,
          }),
      ...(sent === undefined ? {} : { "content-type": "application/json" }),
      ...options.headers,
    },
    ...(sent === undefined ? {} : { body: sent }),
    deadline_ms: options.deadline_ms ?? 10_000,
    tls: { ca: (await testTls()).cert },
  });
  const parsed = parseJson(answer.body);
  return { ...answer, json: isObject(parsed) ? parsed : {} };
}

/** A BMC over a fake machine, in a folder of its own, gone at the end of the test. */
export async function bench(
  options: Partial<BmcConfig> & { readonly metal?: FakeMetal } = {},
): Promise<Bench> {
  const { metal = new FakeMetal(), ...overrides } = options;
  const folder = await mkdtemp(join(tmpdir(), "duet-bmc-"));
  const log: string[] = [];
  const config: BmcConfig = {
    name: "node1",
    host: "127.0.0.1",
    port: 0,
    tls: await testTls(),
    folder,
    credentials: { username, password: new Secret(password) },
    times: { off_ms: 0, on_ms: 0, graceful_ms: 500, manager_reset_ms: 10 },
    log: (sentence) => log.push(sentence),
    ...overrides,
  };
  let bmc = await startBmc(config, metal);
  return {
    get bmc() {
      return bmc;
    },
    metal,
    folder,
    log,
    call: (method, path, callOptions) => call(bmc.port, method, path, callOptions),
    restart: async (changes = {}) => {
      await bmc.close();
      bmc = await startBmc({ ...config, ...changes }, metal);
    },
    [Symbol.asyncDispose]: async () => {
      await bmc.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** A PDU with one outlet, or several by name, on loopback, with the credentials of these tests. */
export const testPdu = async (
  folder: string,
  outlet: string | ReadonlyMap<string, Feed>,
  feed: Feed = new FakeFeed(),
  { host = "127.0.0.1", times = { off_ms: 0, on_ms: 0 } }: { host?: string; times?: BmcConfig["times"] } = {},
): Promise<Running> =>
  await startPdu(
    {
      name: "pdu",
      host,
      port: 0,
      tls: await testTls(),
      folder,
      credentials: { username, password: new Secret(password) },
      times,
    },
    typeof outlet === "string" ? new Map([[outlet, feed]]) : outlet,
  );
