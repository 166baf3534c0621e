import type { Cell } from "./disk.ts";
import type { Life } from "./kernel/life.ts";
import type { Machine, Tenant } from "./machine.ts";
import { DataFolder } from "./raft/data.ts";
import type { EtcdEnv } from "./raft/env.ts";
import { EtcdPanic } from "./raft/log.ts";
import type { Member } from "./raft/member.ts";
import { isMember } from "./raft/membership.ts";
import { openMember, type StartKind } from "./raft/start.ts";
import { label } from "./kernel/label.ts";

const deaf = label("etcd.deaf");
/** How long a leaderless etcd was seen to ignore SIGTERM. */
const deaf_us = 80_000_000;

/** etcd's data folder and its systemd unit on one machine. Nothing starts it but those who are told to. */
export class EtcdUnit implements Tenant {
  readonly machine: Machine;
  /** The folder as a name in the file system: moving it aside is a write that has to be synced like any other. */
  readonly folder: Cell<DataFolder | undefined>;
  /** What is to take its place, whole. */
  readonly staged: Cell<DataFolder | undefined>;
  readonly aside: DataFolder[] = [];
  /** Why each start fails, while it does. */
  hindered: string | undefined;
  readonly #env: EtcdEnv;
  readonly #peer: () => Member | undefined;
  #member: Member | undefined;
  #masked = false;
  #closed = false;
  #held: (() => void) | undefined;
  /** Told to end while it was held. */
  #doomed = false;

  /** `peer` gives the other machine's member where it can be reached from here. */
  constructor(env: EtcdEnv, machine: Machine, peer: () => Member | undefined) {
    this.#env = env;
    this.machine = machine;
    this.#peer = peer;
    this.folder = machine.disk.cell<DataFolder | undefined>(undefined);
    this.staged = machine.disk.cell<DataFolder | undefined>(undefined);
  }

  get running(): Member | undefined {
    return this.#member?.running === true ? this.#member : undefined;
  }

  /** Where clients find it, and everybody else but who started it closed. */
  get open(): Member | undefined {
    return this.#closed ? undefined : this.running;
  }

  get closed(): Member | undefined {
    return this.#closed ? this.running : undefined;
  }

  /** Between the two renames of a swap there is nothing in the folder's own place. */
  get data(): DataFolder | undefined {
    return this.folder.value ?? this.staged.value;
  }

  /** Started and not ended: it may still read its log. */
  get active(): boolean {
    const member = this.#member;
    return member !== undefined && member.ended === undefined && member.life.alive;
  }

  /** Why the last one ended. */
  get ended(): string | undefined {
    return this.#member?.ended;
  }

  get masked(): boolean {
    return this.#masked;
  }

  mask(masked: boolean): void {
    this.#masked = masked;
  }

  /** An empty folder for a new member; the caller syncs the cell. */
  create(member: number, cluster: number): DataFolder {
    const data = new DataFolder(member, cluster);
    this.machine.disk.attach(data);
    this.folder.write(data);
    return data;
  }

  /** Out of the way, and kept; the caller syncs the cell. */
  moveAside(): void {
    const data = this.folder.value;
    if (data === undefined) return;
    this.aside.push(data);
    this.folder.write(undefined);
  }

  /** Beside the data; the caller syncs the cell. */
  stage(data: DataFolder): void {
    this.machine.disk.attach(data);
    this.staged.write(data);
  }

  /** `done` says nothing once the port is open, and otherwise why it is not. The life is that of the machine. */
  start(how: StartKind, done: (why: string | undefined) => void, closed = false): void {
    const data = this.folder.value;
    if (this.#masked) done("the unit is masked");
    else if (this.hindered !== undefined) done(this.hindered);
    else if (this.machine.disk.readOnly) done("read-only file system");
    else if (this.active) done("etcd runs already");
    else if (data === undefined) done("there is no data folder");
    else if (how.kind === "join" && !this.#listed(data.member)) done("no running member knows this one");
    else {
      this.#closed = closed;
      this.#start(data, how, this.machine.life, done);
    }
  }

  #listed(id: number): boolean {
    const peer = this.#peer();
    return peer !== undefined && isMember(peer.applier.membership, id);
  }

  #start(data: DataFolder, how: StartKind, life: Life, done: (why: string | undefined) => void): void {
    const { kernel, times } = this.#env;
    let member: Member;
    try {
      member = openMember(this.#env, { machine: this.machine.id, life }, data, how);
    } catch (error) {
      if (!(error instanceof EtcdPanic) && !data.corrupt) throw error;
      done(error instanceof Error ? error.message : String(error));
      return;
    }
    this.#member = member;
    kernel.after(times.start_us, () => {
      if (!member.life.alive) return;
      if (this.machine.hung) member.pause();
      member.start();
      done(member.ended);
    });
  }

  /** SIGTERM: a leader hands over first; one without a leader may be deaf for long. */
  stop(done: () => void): void {
    const member = this.#member;
    const { kernel, times } = this.#env;
    if (member === undefined || !this.active) {
      done();
      return;
    }
    if (this.#held !== undefined) {
      this.#doomed = true;
      return;
    }
    const end = () => {
      if (!this.machine.life.alive) return;
      member.exit("stopped", "close");
      done();
    };
    const others = member.applier.membership.voters.filter((id) => id !== member.id);
    const [heir] = others;
    if (member.running && member.raft.role === "leader" && heir !== undefined)
      member.submit(() => member.requests.moveLeader(heir, end));
    else {
      const late = member.raft.lead === 0 && kernel.choices.fault(deaf, 2, 50_000) > 0;
      kernel.after(late ? deaf_us : times.apply_us, end);
    }
  }

  /** SIGKILL, which one that is held by its disk gets only when the disk lets go. */
  kill(): void {
    if (this.#held !== undefined) this.#doomed = true;
    else this.#member?.exit("killed", "crash");
  }

  /** Its disk does not answer: it stands still, and nothing ends it. `freed`: told when the disk lets go. */
  hold(freed: () => void): void {
    if (!this.active) return;
    this.#held = freed;
    this.#member?.pause();
  }

  release(): void {
    const freed = this.#held;
    if (freed === undefined) return;
    this.#held = undefined;
    freed();
    if (this.#doomed) this.kill();
    else if (!this.machine.hung) this.#member?.resume();
    this.#doomed = false;
  }

  dead(): void {
    this.#held = undefined;
    this.#doomed = false;
    this.#member?.exit("power cut", "cut");
  }

  hung(): void {
    this.#member?.pause();
  }

  resumed(): void {
    if (this.#held === undefined) this.#member?.resume();
  }
}
