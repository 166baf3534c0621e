import type { Kernel } from "../kernel/kernel.ts";
import type { Member } from "./member.ts";
import type { Role } from "./raft.ts";
import type { Reply, Requests } from "./requests.ts";
import type { EtcdTimes } from "./times.ts";
import type { Entry, Message } from "./types.ts";

/** Who wants to know what the members do: the checks. */
export interface EtcdObserver {
  role?(member: Member, role: Role): void;
  /**
   * Everything up to this index is committed, and others may know it from here on. A leader counts its own entry before it is
   * synced, but nobody hears of the result before it is.
   */
  committed?(member: Member, index: number): void;
  applied?(member: Member, entry: Entry): void;
  /** It started from a snapshot that came by the wire, or from disk: its store is another one now. */
  loaded?(member: Member): void;
  exited?(member: Member, why: string): void;
}

/** What a member needs of the world around it. */
export interface EtcdEnv {
  readonly kernel: Kernel;
  readonly times: EtcdTimes;
  readonly observers: EtcdObserver[];
  /** How long this machine's next sync takes. */
  sync_us(machine: number): number;
  /** Carries a message to whatever member runs on that machine, if it arrives. */
  carry(from: Member, machine: number, message: Message): void;
  /** Asks whatever member runs on that machine over the peers' port; an answer comes if both ways work and both still run. */
  call(from: Member, machine: number, ask: (requests: Requests, reply: Reply) => void, reply: Reply): void;
}
