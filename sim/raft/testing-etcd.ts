import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import * as v from "valibot";
import { writeCommitRecord } from "../../src/facts/commit-record.ts";
import { readMemberFacts } from "../../src/facts/facts.ts";
import { sleep, until } from "../../src/machine/clock.ts";
import { reason, type Side } from "./testing-side.ts";

const memberList = v.object({
  members: v.array(
    v.object({ ID: v.string(), peerURLs: v.array(v.string()), isLearner: v.optional(v.boolean()) }),
  ),
});
const status = v.object({ leader: v.optional(v.string()), header: v.object({ member_id: v.string() }) });
const range = v.object({ count: v.optional(v.string()) });
const key = (text: string) => Buffer.from(text).toString("base64");

/** Where others use the box etcd takes its time. */
const start_ms_max = 60_000;

const known_refusals =
  /not enough started members|unhealthy cluster|bad leader transferee|can only promote a learner member|rpc not supported for learner/;

/** Real etcd on loopback, with a proxy before each peer port that can be silenced. */
export class RealSide implements Side {
  readonly folder: string;
  silent = false;
  /** What passes the proxy may silence it: how much of the piece still goes through. */
  watch: ((piece: Buffer) => number | undefined) | undefined;
  readonly #ports: readonly number[];
  readonly #machines: readonly number[];
  /** Each machine's member, as it last said. */
  readonly #members = new Map<string, number>();
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #processes: (ChildProcess | undefined)[] = [];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 512 });
  #keys = 0;
  #launches = 0;
  /** Each process has a log of its own. */
  readonly #last: number[] = [];

  readonly #etcd: string;

  private constructor(etcd: string, folder: string, ports: readonly number[]) {
    this.#etcd = etcd;
    this.folder = folder;
    this.#ports = ports;
    this.#machines = Array.from({ length: ports.length / 3 }, (_, machine) => machine);
  }

  static async create(etcd: string, machines = 2): Promise<RealSide> {
    const folder = await mkdtemp(join(tmpdir(), "duet-honest-"));
    const side = new RealSide(etcd, folder, await freePorts(3 * machines));
    for (const machine of side.#machines) await side.#proxy(machine);
    return side;
  }
  async [Symbol.asyncDispose](): Promise<void> {
    for (const machine of this.#machines) await this.kill(machine);
    this.#agent.destroy();
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
    await rm(this.folder, { recursive: true });
  }
  #port(machine: number, which: 0 | 1 | 2): number {
    return this.#ports[machine * 3 + which] ?? 0;
  }
  client = (machine: number): string => `http://127.0.0.1:${this.#port(machine, 0)}`;
  #peer = (machine: number): string => `http://127.0.0.1:${this.#port(machine, 2)}`;
  data = (machine: number): string => join(this.folder, `m${machine}`);

  #log(machine: number): string {
    return join(this.folder, `m${machine}-${this.#last[machine]}.log`);
  }

  async #proxy(machine: number): Promise<void> {
    const server = createServer((near) => {
      const far = connect(this.#port(machine, 1), "127.0.0.1");
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        from.on("data", (piece) => this.#pass(piece, to));
        from.on("close", () => to.destroy());
        from.on("error", () => to.destroy());
      }
    });
    server.listen(this.#port(machine, 2), "127.0.0.1");
    await once(server, "listening");
    this.#servers.push(server);
  }
  #pass(piece: Buffer, to: Socket): void {
    if (this.silent) return;
    const keep = this.watch?.(piece);
    if (keep !== undefined) this.silent = true;
    to.write(keep === undefined ? piece : piece.subarray(0, keep));
  }
  launch(machine: number, cluster: readonly number[], flags: readonly string[]): void {
    this.#launches += 1;
    this.#last[machine] = this.#launches;
    const list = cluster.map((each) => `m${each}=${this.#peer(each)}`).join();
    this.#processes[machine] = spawn(
      "sh",
      [
        "-c",
        'exec "$0" "$@" 2>>"$LOG"',
        this.#etcd,
        `--name=m${machine}`,
        `--data-dir=${this.data(machine)}`,
        `--initial-cluster=${list}`,
        `--listen-client-urls=${this.client(machine)}`,
        `--advertise-client-urls=${this.client(machine)}`,
        `--listen-peer-urls=http://127.0.0.1:${this.#port(machine, 1)}`,
        `--initial-advertise-peer-urls=${this.#peer(machine)}`,
        "--snapshot-count=100000",
        "--heartbeat-interval=50",
        "--election-timeout=500",
        ...flags,
      ],
      { stdio: "ignore", env: { ...process.env, LOG: this.#log(machine) } },
    );
  }
  async startOne(machine: number): Promise<void> {
    this.launch(machine, [machine], ["--initial-cluster-state", "new"]);
    await this.#serves(machine);
  }
  async startBoth(): Promise<void> {
    for (const machine of [0, 1]) this.launch(machine, [0, 1], ["--initial-cluster-state", "new"]);
    for (const machine of [0, 1]) await this.#serves(machine);
    // That one of them answers a read says nothing of whom the other follows.
    await until("both name one leader", async () => this.#agreed(await this.#named(), 2), {
      deadline_ms: start_ms_max,
    });
  }
  async #serves(machine: number): Promise<void> {
    await until(`m${machine} serves`, async () => (await this.count(machine)) !== undefined, {
      deadline_ms: start_ms_max,
    });
  }
  async post<T>(
    machine: number,
    path: string,
    body: unknown,
    schema: v.GenericSchema<unknown, T>,
  ): Promise<T> {
    // Not fetch(): hundreds of writers want every bit of the processor for etcd.
    const sent = request(`${this.client(machine)}/v3/${path}`, {
      method: "POST",
      agent: this.#agent,
      signal: AbortSignal.timeout(2_500),
    });
    sent.end(JSON.stringify(body));
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.on("response", resolve);
      sent.on("error", reject);
    });
    const said = await text(answer);
    if (answer.statusCode !== 200) throw new Error(said);
    return v.parse(schema, JSON.parse(said));
  }
  async put(machine: number, count: number): Promise<number> {
    let done = 0;
    for (; done < count; done += 1) {
      this.#keys += 1;
      try {
        await this.post(machine, "kv/put", { key: key(`k${this.#keys}`), value: key("v") }, v.unknown());
      } catch {
        break;
      }
    }
    return done;
  }
  async kill(machine: number): Promise<void> {
    const child = this.#processes[machine];
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }
  async freeze(machine: number, frozen: boolean): Promise<void> {
    this.#processes[machine]?.kill(frozen ? "SIGSTOP" : "SIGCONT");
  }
  async start(machine: number, how: "restart" | "force" | "join"): Promise<void> {
    const state = ["--initial-cluster-state", "existing"];
    this.launch(
      machine,
      how === "join" ? this.#machines : [machine],
      how === "force" ? [...state, "--force-new-cluster"] : state,
    );
    await this.settle();
  }
  async settle(): Promise<void> {
    await sleep(2_000);
  }
  async change(on: number, what: string, machine: number): Promise<string> {
    try {
      if (what === "add learner") {
        const body = { peerURLs: [this.#peer(machine)], isLearner: true };
        await this.post(on, "cluster/member/add", body, v.unknown());
        return "ok";
      }
      const { members } = await this.post(on, "cluster/member/list", {}, memberList);
      const ID = members.find((member) => member.peerURLs.includes(this.#peer(machine)))?.ID ?? "0";
      if (what === "move leader")
        await this.post(on, "maintenance/transfer-leadership", { targetID: ID }, v.unknown());
      else await this.post(on, `cluster/member/${what}`, { ID }, v.unknown());
      return "ok";
    } catch (error) {
      const said = String(error);
      if (said.includes("in sync with leader")) return "learner not ready";
      return known_refusals.exec(said)?.[0] ?? said;
    }
  }
  async count(machine: number): Promise<number | undefined> {
    try {
      const body = { key: key("k"), range_end: key("l"), count_only: true };
      return Number((await this.post(machine, "kv/range", body, range)).count ?? 0);
    } catch {
      return undefined;
    }
  }
  async leader(): Promise<number | undefined> {
    return this.#agreed(await this.#named(), 1);
  }
  /** The one whom all of them name, if so many do. */
  #agreed(named: readonly string[], count_min: number): number | undefined {
    const [leader = "0", ...others] = new Set(named);
    return others.length === 0 && named.length >= count_min ? this.#members.get(leader) : undefined;
  }
  /** Whom each takes for the leader that answers. */
  async #named(): Promise<readonly string[]> {
    const seen: string[] = [];
    for (const machine of this.#machines) {
      try {
        const { leader = "0", header } = await this.post(machine, "maintenance/status", {}, status);
        this.#members.set(header.member_id, machine);
        seen.push(leader);
      } catch {
        // It does not run, or is frozen.
      }
    }
    return seen;
  }
  async members(on: number): Promise<string> {
    const { members } = await this.post(on, "cluster/member/list", { linearizable: false }, memberList);
    return members
      .map(
        ({ peerURLs, isLearner }) =>
          `${this.#machines.find((m) => peerURLs.includes(this.#peer(m)))} ${isLearner === true ? "learner" : "voter"}`,
      )
      .toSorted()
      .join(", ");
  }
  async ended(machine: number): Promise<string> {
    const child = this.#processes[machine];
    if (child?.exitCode === null && child.signalCode === null) return "runs";
    return reason(`ended ${(await readFile(this.#log(machine), "utf8")).slice(-20_000)}`);
  }
  disk(machine: number) {
    const facts = readMemberFacts(this.data(machine));
    return {
      standing: facts?.standing ?? "",
      commitBehind: (facts?.hardState.commit ?? 0) < (facts?.last.index ?? 0),
    };
  }
  async record(machine: number): Promise<void> {
    await writeCommitRecord(this.data(machine), join(this.folder, `kept${machine}`));
  }
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  const ports: number[] = [];
  for (const server of servers) {
    if (!server.listening) await once(server, "listening");
    const address = server.address();
    if (typeof address === "object" && address !== null) ports.push(address.port);
  }
  for (const server of servers) server.close();
  return ports;
}
