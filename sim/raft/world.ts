import { Clients, type ClientLoad, steadyLoad } from "../clients.ts";
import { Disk, type DiskTimes, diskTimes } from "../disk.ts";
import { History } from "../history.ts";
import type { Schedule } from "../kernel/choices.ts";
import { Kernel } from "../kernel/kernel.ts";
import { Life } from "../kernel/life.ts";
import { calm, Wire, type WireTimes } from "../wire.ts";
import { DataFolder } from "./data.ts";
import type { EtcdEnv } from "./env.ts";
import { watchRaft } from "./invariants.ts";
import type { Member } from "./member.ts";
import { openMember, type StartKind } from "./start.ts";
import { type EtcdTimes, etcdTimes } from "./times.ts";
import { peerCall, peerTransport } from "./transport.ts";

export interface RaftWorldOptions {
  readonly machines?: number;
  readonly trace?: boolean;
  readonly wire?: WireTimes;
  readonly disk?: DiskTimes;
  readonly etcd?: Partial<EtcdTimes>;
  readonly load?: Partial<ClientLoad>;
  /** Only what clients see counts, not raft's own promises. */
  readonly clientsOnly?: boolean;
}

interface Machine {
  readonly disk: Disk;
  life: Life;
  data: DataFolder | undefined;
  member: Member | undefined;
}

/** etcd on a few machines with a wire between them, and clients: no Pacemaker, no BMC, nobody who decides. */
export class RaftWorld {
  readonly kernel: Kernel;
  readonly wire: Wire;
  readonly history: History;
  readonly clients: Clients;
  readonly env: EtcdEnv;
  readonly machines: readonly Machine[];
  readonly cluster = 7;
  #ids = 0;

  constructor(schedule: Schedule, options: RaftWorldOptions = {}) {
    const count = options.machines ?? 2;
    const kernel = new Kernel(schedule, { trace: options.trace === true });
    this.kernel = kernel;
    this.wire = new Wire(kernel, "link0", count, options.wire ?? calm);
    this.machines = Array.from({ length: count }, (_, machine) => ({
      disk: new Disk(kernel, machine, options.disk ?? diskTimes),
      life: new Life(),
      data: undefined,
      member: undefined,
    }));
    this.env = {
      kernel,
      times: { ...etcdTimes, ...options.etcd },
      observers: options.clientsOnly === true ? [] : [watchRaft(kernel)],
      sync_us: (machine) => this.#machine(machine).disk.sync_us(),
      carry: peerTransport(kernel, this.wire, (machine) => this.running(machine)),
      call: peerCall(kernel, this.wire, (machine) => this.running(machine)),
    };
    this.history = new History(kernel);
    const load = { ...steadyLoad, ...options.load };
    this.clients = new Clients(kernel, this.history, load, count, (machine) => this.running(machine));
  }

  #machine(machine: number): Machine {
    const found = this.machines[machine];
    if (found === undefined) throw new RangeError(`there is no machine ${machine}`);
    return found;
  }

  /** The member that runs there, also one that is stopped by a signal. */
  running(machine: number): Member | undefined {
    const { member } = this.#machine(machine);
    return member?.running === true ? member : undefined;
  }

  /** It runs, or is about to. */
  waiting(machine: number): boolean {
    const { member } = this.#machine(machine);
    return member !== undefined && member.ended === undefined && member.life.alive;
  }

  member(machine: number): Member {
    const member = this.running(machine);
    if (member === undefined) throw new Error(`no member runs on machine ${machine}`);
    return member;
  }

  get leader(): Member | undefined {
    return this.machines
      .map((_, machine) => this.running(machine))
      .find((member) => member?.raft.role === "leader");
  }

  freshId(): number {
    this.#ids += 1;
    return this.#ids;
  }

  /** A first start of all machines at once, as one cluster. */
  startAll(): void {
    const members: Record<number, number> = {};
    const ids = this.machines.map((_, machine) => {
      const id = this.freshId();
      members[id] = machine;
      return id;
    });
    for (const [machine, id] of ids.entries()) this.start(machine, { kind: "new", members }, id);
  }

  /** A first start with one machine; gives its member's id. */
  startOne(machine: number): number {
    const id = this.freshId();
    this.start(machine, { kind: "new", members: { [id]: machine } }, id);
    return id;
  }

  /** With an id: from an empty folder. */
  start(machine: number, how: StartKind, id?: number): Member {
    const host = this.#machine(machine);
    if (this.waiting(machine)) throw new Error(`machine ${machine} runs a member already`);
    if (id !== undefined) {
      if (host.data !== undefined) host.disk.detach(host.data);
      host.data = new DataFolder(id, this.cluster);
      host.disk.attach(host.data);
    }
    if (host.data === undefined) throw new Error(`machine ${machine} has no data`);
    const member = openMember(this.env, { machine, life: host.life }, host.data, how);
    host.member = member;
    this.kernel.after(this.env.times.start_us, () => {
      if (member.life.alive) member.start();
    });
    return member;
  }

  data(machine: number): DataFolder {
    const { data } = this.#machine(machine);
    if (data === undefined) throw new Error(`machine ${machine} has no data`);
    return data;
  }

  kill(machine: number): void {
    this.#machine(machine).member?.exit("killed", "crash");
  }

  stop(machine: number): void {
    this.#machine(machine).member?.exit("stopped", "close");
  }

  powerCut(machine: number): void {
    const host = this.#machine(machine);
    host.member?.exit("power cut", "cut");
    host.life.end();
    host.disk.powerCut();
    host.life = new Life();
  }
}
