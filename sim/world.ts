import { Attributes } from "./attributes.ts";
import { Bmc, type BmcAnswer, type BmcRequest, type BmcTimes, bmcTimes } from "./bmc.ts";
import { type Check, safety } from "./checks.ts";
import { Clients, type ClientLoad, steadyLoad } from "./clients.ts";
import { Corosync, type CorosyncTimes, corosyncTimes } from "./corosync.ts";
import { type DiskTimes, diskTimes } from "./disk.ts";
import { EtcdUnit } from "./etcd-unit.ts";
import { History } from "./history.ts";
import type { Schedule } from "./kernel/choices.ts";
import { Kernel } from "./kernel/kernel.ts";
import type { Life } from "./kernel/life.ts";
import { cancel } from "./kernel/queue.ts";
import { Machine, type MachineTimes, machineTimes } from "./machine.ts";
import {
  type FenceAgent,
  type PacemakerPolicy,
  pacemakerPolicy,
  type ResourceAgent,
} from "./pacemaker/agent.ts";
import { Pacemaker } from "./pacemaker/pacemaker.ts";
import { Pdu, type PduAnswer, type PduRequest } from "./pdu.ts";
import type { EtcdEnv } from "./raft/env.ts";
import type { Member } from "./raft/member.ts";
import type { Answer, Reply, Requests } from "./raft/requests.ts";
import { type EtcdTimes, etcdTimes } from "./raft/times.ts";
import { peerCall, peerTransport } from "./raft/transport.ts";
import { calm, Wire, type WireTimes } from "./wire.ts";

export interface WorldOptions {
  readonly agent: (world: World) => ResourceAgent;
  readonly fence: (world: World) => FenceAgent;
  /** Besides those of `safety`. */
  readonly checks?: readonly Check[];
  readonly trace?: boolean;
  readonly wire?: WireTimes;
  readonly disk?: DiskTimes;
  readonly machine?: MachineTimes;
  readonly bmc?: BmcTimes;
  /** Where they differ; `bmc` is the slower one then. */
  readonly bmcs?: Pair<BmcTimes>;
  readonly corosync?: CorosyncTimes;
  readonly pacemaker?: Partial<PacemakerPolicy>;
  readonly etcd?: Partial<EtcdTimes>;
  readonly load?: Partial<ClientLoad>;
}

/** Who commanded a machine's Off, in which of its boots, and when that arrived: a slow BMC does it much later. */
export interface OffCommand {
  readonly by: number;
  readonly boot: number;
  readonly at_us: number;
}

type Pair<T> = readonly [T, T];

/** Ends of the management wire: the machines are 0 and 1. */
const bmcEnd = (machine: number): number => 2 + machine;
const pduEnd = 4;
/** A shutdown waits so long for etcd. */
const stop_us_max = 20_000_000;

/** Two machines with all that is around them. What decides there is plugged in. */
export class World {
  readonly kernel: Kernel;
  /** Two cluster links; etcd's peers and clients use the first. */
  readonly links: Pair<Wire>;
  readonly management: Wire;
  readonly machines: Pair<Machine>;
  readonly bmcs: Pair<Bmc>;
  /** Of the slower one: what has to do for both goes by it. */
  readonly bmcTimes: BmcTimes;
  readonly pdu: Pdu;
  readonly corosync: Corosync;
  readonly attributes: Attributes;
  readonly pacemaker: Pacemaker;
  readonly etcd: Pair<EtcdUnit>;
  readonly etcdEnv: EtcdEnv;
  readonly history: History;
  readonly clients: Clients;
  /** Told when a machine that was on goes off by its BMC or outlet: whoever commanded that, and whatever was answered. */
  readonly onFenced: ((target: number, command: OffCommand) => void)[] = [];
  /** Told when such a command arrives, and by whom it was sent. */
  readonly onCommanded: ((target: number, by: number) => void)[] = [];
  /** Told when a tag to be written arrives, and by whom it was sent. */
  readonly onTagged: ((by: number, tag: string) => void)[] = [];
  /** The last command of this kind that arrived, for each machine. */
  readonly #commands: (OffCommand | undefined)[] = [];
  #ids = 0;

  constructor(schedule: Schedule, options: WorldOptions) {
    const kernel = new Kernel(schedule, { trace: options.trace === true });
    this.kernel = kernel;
    const wire = options.wire ?? calm;
    this.links = [new Wire(kernel, "link0", 2, wire), new Wire(kernel, "link1", 2, wire)];
    this.management = new Wire(kernel, "management", 5, wire);
    const machine = (id: number) =>
      new Machine(kernel, id, options.machine ?? machineTimes, options.disk ?? diskTimes);
    this.machines = [machine(0), machine(1)];
    this.bmcTimes = options.bmc ?? bmcTimes;
    const [one, other] = options.bmcs ?? [this.bmcTimes, this.bmcTimes];
    this.bmcs = [this.#bmc(0, one), this.#bmc(1, other)];
    this.pdu = new Pdu(kernel, 2, (id, on) => {
      if (!on) this.#fenced(id);
      this.feed(id, on);
    });
    this.corosync = new Corosync(kernel, this.links, options.corosync ?? corosyncTimes);
    this.attributes = new Attributes(this.corosync);
    this.etcdEnv = {
      kernel,
      times: { ...etcdTimes, ...options.etcd },
      observers: [],
      sync_us: (id) => this.machine(id).disk.sync_us(),
      carry: peerTransport(kernel, this.links[0], (id) => this.unit(id).running),
      call: peerCall(kernel, this.links[0], (id) => this.unit(id).running),
    };
    this.etcd = [this.#unit(0), this.#unit(1)];
    this.pacemaker = new Pacemaker(
      kernel,
      this.corosync,
      this.attributes,
      options.agent(this),
      options.fence(this),
      {
        ...pacemakerPolicy,
        ...options.pacemaker,
      },
    );
    this.history = new History(kernel);
    const load = { ...steadyLoad, ...options.load };
    this.clients = new Clients(kernel, this.history, load, 2, (id) => this.unit(id).open);
    for (const id of [0, 1]) this.#furnish(id);
    for (const check of [...safety, ...(options.checks ?? [])]) check.watch(this);
  }

  machine(id: number): Machine {
    return this.machines[id === 0 ? 0 : 1];
  }

  unit(id: number): EtcdUnit {
    return this.etcd[id === 0 ? 0 : 1];
  }

  bmc(id: number): Bmc {
    return this.bmcs[id === 0 ? 0 : 1];
  }

  /** A member id that was never used. */
  freshMemberId(): number {
    this.#ids += 1;
    return this.#ids;
  }

  #bmc(id: number, times: BmcTimes): Bmc {
    const metal = {
      isOn: () => this.machine(id).powered,
      on: () => this.machine(id).powerOn(),
      cut: () => {
        this.#fenced(id);
        this.machine(id).powerCut();
      },
      press: () => this.machine(id).shutdown(() => this.bmc(id).remember(false)),
    };
    return new Bmc(this.kernel, id, metal, times);
  }

  #unit(id: number): EtcdUnit {
    return new EtcdUnit(this.etcdEnv, this.machine(id), () =>
      this.links[0].joined(id, 1 - id) ? this.unit(1 - id).running : undefined,
    );
  }

  /** Pacemaker leaves first, then Corosync; what has no goodbye just ends. */
  #furnish(id: number): void {
    const machine = this.machine(id);
    machine.tenants.push(
      {
        booted: ({ life }) => {
          this.bmc(id).remember(true);
          this.corosync.start(id, life);
          this.pacemaker.start(id, life);
        },
        shutdown: (_, done) => {
          const controller = this.pacemaker.controller(id);
          const left = () => {
            this.pacemaker.dead(id);
            done();
          };
          if (controller === undefined) done();
          else controller.leave(left);
        },
        dead: () => {
          this.pacemaker.dead(id);
          this.attributes.dead(id);
          this.corosync.dead(id);
        },
        hung: () => this.corosync.freeze(id, true),
        resumed: () => this.corosync.freeze(id, false),
      },
      {
        shutdown: (_, done) => {
          this.corosync.stop(id);
          // Where it can't be ended systemd gives up in the end, and goes on without it.
          let open = true;
          const ended = () => {
            if (open) done();
            open = false;
          };
          this.unit(id).stop(ended);
          this.kernel.after(stop_us_max, ended);
        },
      },
      this.unit(id),
    );
  }

  #commanded(by: number, target: number): void {
    this.#commands[target] = { by, boot: this.machine(by).boot, at_us: this.kernel.now_us };
    for (const listen of this.onCommanded) listen(target, by);
  }

  #fenced(id: number): void {
    const command = this.#commands[id];
    if (command === undefined || !this.machine(id).powered) return;
    for (const listen of this.onFenced) listen(id, command);
  }

  /** The feed of machine and BMC: both go, or may come back. */
  feed(id: number, on: boolean): void {
    if (on) this.bmc(id).feedReturned();
    else {
      this.bmc(id).feedLost();
      this.machine(id).powerCut();
    }
  }

  /** Only its power: the BMC lives and reads Off. */
  cutPower(id: number): void {
    this.machine(id).powerCut();
  }

  /** A call over the management wire with a deadline; undefined: nobody answered in time. */
  askBmc(
    life: Life,
    from: number,
    target: number,
    request: BmcRequest,
    deadline_us: number,
  ): Promise<BmcAnswer | undefined> {
    return this.#call<BmcAnswer>(life, deadline_us, (reply) =>
      this.management.send(from, bmcEnd(target), target, request, (arrived) => {
        if (arrived.kind === "reset" && arrived.type === "ForceOff") this.#commanded(from, target);
        if (arrived.kind === "tag") for (const listen of this.onTagged) listen(from, arrived.value);
        this.bmc(target).handle(arrived, (answer) =>
          this.management.send(bmcEnd(target), from, target, answer, reply),
        );
      }),
    );
  }

  askPdu(life: Life, from: number, request: PduRequest, deadline_us: number): Promise<PduAnswer | undefined> {
    return this.#call<PduAnswer>(life, deadline_us, (reply) =>
      this.management.send(from, pduEnd, pduEnd, request, (arrived) => {
        if (arrived.kind === "off") this.#commanded(from, arrived.machine);
        this.pdu.handle(arrived, (answer) => this.management.send(pduEnd, from, pduEnd, answer, reply));
      }),
    );
  }

  /**
   * A request to the etcd on `to`, from a process on `from`; `look` reads from the member in the very moment of a good answer.
   * undefined: nobody answered in time.
   */
  askEtcd<T>(
    life: Life,
    from: number,
    to: number,
    ask: (requests: Requests, reply: Reply) => void,
    look: (member: Member, answer: Answer) => T,
    deadline_us: number,
  ): Promise<T | undefined> {
    return this.#call<T>(life, deadline_us, (reply) => {
      const unit = this.unit(to);
      const member = from === to ? unit.running : unit.open;
      if (member === undefined) return;
      const back = (answer: Answer) => {
        const seen = look(member, answer);
        if (from === to) this.kernel.after(50, () => reply(seen));
        else this.links[0].send(to, from, 9, seen, reply);
      };
      const arrive = () => member.submit(() => ask(member.requests, back));
      if (from === to) this.kernel.after(50, arrive);
      else this.links[0].send(from, to, 9, undefined, arrive);
    });
  }

  #call<T>(
    life: Life,
    deadline_us: number,
    send: (reply: (value: T) => void) => void,
  ): Promise<T | undefined> {
    return this.kernel.tasks.answer<T | undefined>(life, (resolve) => {
      let open = true;
      const end = (value: T | undefined) => {
        if (!open) return;
        open = false;
        resolve(value);
      };
      const deadline = this.kernel.after(deadline_us, () => end(undefined));
      send((value) => {
        cancel(deadline);
        end(value);
      });
    });
  }
}
