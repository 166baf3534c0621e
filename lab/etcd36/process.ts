import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { until } from "../../src/machine/clock.ts";
import { run } from "../../src/machine/process.ts";

/** A version of etcd with its programs. */
export interface Etcd {
  readonly version: string;
  /** The folder that holds etcd, etcdctl and etcdutl. */
  readonly folder: string;
}

/** One etcd on loopback, for tests: its data, its ports, its process. */
export class EtcdProcess {
  /** The one that the next start runs: a test may upgrade it, with the same data and addresses. */
  etcd: Etcd;
  readonly name: string;
  readonly folder: string;
  readonly client: string;
  readonly peer: string;
  #process: ChildProcess | undefined;
  #log_start = 0;

  private constructor(etcd: Etcd, name: string, folder: string, ports: readonly [number, number]) {
    this.etcd = etcd;
    this.name = name;
    this.folder = join(folder, name);
    this.client = `http://127.0.0.1:${ports[0]}`;
    this.peer = `http://127.0.0.1:${ports[1]}`;
  }

  static async create(etcd: Etcd, name: string, folder: string): Promise<EtcdProcess> {
    return new EtcdProcess(etcd, name, folder, await freePorts());
  }

  /** Starts it and returns at once. */
  start(flags: readonly string[], settings: Readonly<Record<string, string>> = {}): void {
    const out = openSync(`${this.folder}.log`, "a");
    this.#process = spawn(
      join(this.etcd.folder, "etcd"),
      [
        `--name=${this.name}`,
        `--data-dir=${this.folder}`,
        "--heartbeat-interval=20",
        "--election-timeout=200",
        // Else it refuses membership changes in the first five seconds of a connection.
        "--strict-reconfig-check=false",
        `--listen-client-urls=${this.client}`,
        `--advertise-client-urls=${this.client}`,
        `--listen-peer-urls=${this.peer}`,
        `--initial-advertise-peer-urls=${this.peer}`,
        ...flags,
      ],
      { stdio: ["ignore", out, out], env: { ...process.env, ...settings } },
    );
    closeSync(out);
  }

  /** Serves linearizable reads. */
  async ready(): Promise<void> {
    await until(
      `${this.name} serves`,
      async () => {
        if (this.#process?.exitCode !== null)
          throw new Error(`etcd ended: ${(await this.log()).slice(-2000)}`);
        return (await this.ctl(["get", "x"], "any")).status === 0;
      },
      { deadline_ms: 30_000, every_ms: 50 },
    );
  }

  async kill(signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  /** It is there, with its ports and connections open, and does nothing. A kill ends it all the same. */
  freeze(): void {
    this.#process?.kill("SIGSTOP");
  }

  /** Ends by itself; its status. */
  async ended(): Promise<number | null> {
    const child = this.#process;
    if (child !== undefined && child.exitCode === null && child.signalCode === null)
      await once(child, "exit");
    return child?.exitCode ?? null;
  }

  async ctl(args: readonly string[], accept: "any" | readonly number[] = [0]) {
    const program = join(this.etcd.folder, "etcdctl");
    return await run([program, "--endpoints", this.client, "--command-timeout=3s", ...args], {
      accept,
      deadline_ms: 60_000,
    });
  }

  /** A call of etcd's JSON gateway: no process for each write. */
  async post(path: string, body: unknown): Promise<unknown> {
    const answer = await fetch(`${this.client}/v3/${path}`, {
      method: "POST",
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(5000),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return await answer.json();
  }

  async put(key: string, value: string): Promise<void> {
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    await this.post("kv/put", { key: base64(key), value: base64(value) });
  }

  async keys(): Promise<ReadonlySet<string>> {
    const { stdout } = await this.ctl(["get", "", "--prefix", "--keys-only"]);
    return new Set(stdout.split("\n").filter((line) => line !== ""));
  }

  /** What it logged since the last call of `forgetLog`. */
  async log(): Promise<string> {
    return (await readFile(`${this.folder}.log`, "utf8")).slice(this.#log_start);
  }

  async forgetLog(): Promise<void> {
    this.#log_start = (await readFile(`${this.folder}.log`, "utf8")).length;
  }
}

/** Two ports that were free a moment ago. */
async function freePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()] as const;
  const ports = await Promise.all(
    servers.map(async (server) => {
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const address = server.address();
      return typeof address === "object" && address !== null ? address.port : 0;
    }),
  );
  for (const server of servers) {
    server.close();
    await once(server, "close");
  }
  return [ports[0] ?? 0, ports[1] ?? 0];
}
