import type { Verdict } from "../decide/decide.ts";
import type { Facts, Holding, Lineage, Tag } from "../decide/facts.ts";
import type { Turn } from "../decide/race.ts";
import type { LogEnd } from "../decide/score.ts";
import type { TableName } from "../decide/rules.ts";

/**
 * All that duet can do to the world, in small pieces. A machine has one implementation, the simulator another; everything
 * above this line is the same code in both.
 *
 * Every effect may be repeated: done twice it leaves the same as done once. None throws for what may happen; an exception is a
 * bug. Each ends within its `deadline_ms`, with `deadline` if it must.
 */
export interface Effects {
  /** What the site file says, the same for as long as this machine runs: nothing is asked for it. */
  readonly site: Pick<Facts, "me"> & { readonly witness: "on" | "off" };
  /** Has whoever serves alone to leave a tag first? Not at a site without a witness, once both machines know that it has none. */
  readonly areTagsWritten: () => Promise<boolean>;
  /** Another one with each boot of this machine; undefined: it can't tell. */
  readonly boot: string | undefined;
  /** One picture of the world, to decide by. Bounded by the calls that it makes. */
  readonly facts: () => Promise<Facts>;
  /** The part of it that the machine knows by itself: neither a BMC nor the peer is asked, so that no slow one holds it up. */
  readonly own: () => Promise<OwnFacts>;
  /** Asks the rules. Every decision is kept with the facts that it was made from, those between two steps too. */
  readonly decide: (question: TableName, facts: Facts) => Verdict;
  readonly disk: DiskEffects;
  readonly unit: UnitEffects;
  readonly members: MemberEffects;
  readonly attributes: AttributeEffects;
  readonly bmc: BmcEffects;
  readonly quorum: QuorumEffects;
  /** So long at least, on a clock that does not jump. */
  readonly pause: (ms: number) => Promise<void>;
}

export type OwnFacts = Pick<Facts, "self" | "etcd">;

export interface Failure {
  /**
   * `refused`: it was understood and turned down. `weighed`: turned down for the state that the machine is in, as some BMCs do that are
   * told to switch off what is off. `changed`: the world is not as the caller believed.
   */
  readonly kind: "unreachable" | "deadline" | "refused" | "weighed" | "changed" | "failed";
  /** For the operator, one sentence. */
  readonly said: string;
}
export type Outcome<T = void> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

export const done: Outcome = { ok: true, value: undefined };
export const success = <T>(value: T): Outcome<T> => ({ ok: true, value });
export const failed = (
  kind: Failure["kind"],
  said: string,
): { readonly ok: false; readonly failure: Failure } => ({
  ok: false,
  failure: { kind, said },
});

/** Duet's own file beside the data. */
export type State = Pick<Holding, "lineage" | "full" | "takeover" | "left" | "surrendered" | "settled"> & {
  /** Of the race to fence. */
  readonly turn: Turn | undefined;
  readonly bump: Bump | undefined;
};
/**
 * Of etcd's revisions, which go back with a loss that was accepted. `owed`: they are to be raised before anybody is served.
 * `missed`: that could not be done, and who watches or caches by revision has to be started again.
 */
export type Bump = "owed" | "missed";
/** What etcd's files say; read while etcd is stopped. */
export type LogFacts = Pick<
  Holding,
  "data" | "standing" | "soleVoter" | "removalInLog" | "tailLost" | "others"
> & {
  /** The newest version of etcd that the data names. */
  readonly version?: string | undefined;
};

export interface DiskEffects {
  readonly readState: () => Promise<Outcome<State>>;
  /** File and folder are synced when this returns. One process at a time may hold the file: `changed` if another does. */
  readonly writeState: (state: State) => Promise<Outcome>;
  /** A file that can't be read is kept under another name: from then on there is none, as on a new disk. */
  readonly setStateAside: () => Promise<Outcome>;
  readonly inspect: () => Promise<Outcome<LogFacts>>;
  /** Where the log ends; undefined while etcd runs, and where there is none. */
  readonly logEnd: () => Promise<Outcome<LogEnd | undefined>>;
  /** By setup's word this machine has never held data: only two of them make a new cluster. */
  readonly isNew: () => Promise<Outcome<boolean>>;
  /** What a killed etcd has written and not synced reaches the disk; nothing where there is no log. */
  readonly syncLog: (deadline_ms: number) => Promise<Outcome>;
  /** etcd's data goes to the kept copies, with a hash; nothing where there is none. */
  readonly moveAside: (deadline_ms: number) => Promise<Outcome>;
  /** The log as it was before a takeover; nothing where that copy is there already. */
  readonly keepWal: (epoch: number, deadline_ms: number) => Promise<Outcome>;
  /** Makes the log say that all of it is committed. Refused by a log whose end is lost. */
  readonly commitLog: (deadline_ms: number) => Promise<Outcome>;
  /** Were the data's revisions raised for this epoch? `impossible`: no, and nothing here can do it. Ends a swap that was cut short. */
  readonly bumpOf: (
    epoch: number,
    deadline_ms: number,
  ) => Promise<Outcome<"done" | "possible" | "impossible">>;
  /**
   * Makes, beside the data, the same with its revisions raised and what was before marked as compacted. `changed` where the
   * database does not hold all of the log: etcd was not stopped in order.
   */
  readonly stageBump: (epoch: number, deadline_ms: number) => Promise<Outcome>;
  /** What was made beside takes the place of the data, which goes to the kept copies. `refused`: nothing was moved. */
  readonly swapBump: (deadline_ms: number) => Promise<Outcome>;
}

export interface UnitEffects {
  readonly isRunning: () => Promise<Outcome<boolean>>;
  /** Returns when the process is up and its port open; it never waits for the peer. */
  readonly start: (how: StartKind, deadline_ms: number) => Promise<Outcome>;
  /** After the deadline it is killed; done means that no process is left and the port is free. */
  readonly stop: (deadline_ms: number) => Promise<Outcome>;
  /** As `stop`, but killed at once: for an etcd that can't hand over to anybody. What it acknowledged is synced. */
  readonly end: (deadline_ms: number) => Promise<Outcome>;
  /** A file of environment under /run that etcd's unit reads, so that no reboot keeps it. */
  readonly setForceFlag: () => Promise<Outcome>;
  readonly dropForceFlag: () => Promise<Outcome>;
  /** A masked unit is not started by anybody. */
  readonly setMasked: (masked: boolean) => Promise<Outcome>;
  /** While that is so, Pacemaker finds its resource failed: its stop fails too, and the peer is asked to fence this machine. */
  readonly callForFence: (because: Hindrance) => Promise<Outcome>;
}

/** Why data can't be given up. `held`: etcd does not end. `unwritten`: the disk takes no word of it. */
export type Hindrance = "held" | "unwritten";

/**
 * `closed`: with its data, at an address where no client looks. `join`: with the member list that the serving peer gave.
 * `first`: a new cluster of this machine alone.
 */
export type StartKind = "with its data" | "closed" | "join" | "first";
/** Where this machine's own etcd is asked: at the clients' port, or where a `closed` one listens. */
export type Door = "self" | "inside";

export interface Member {
  readonly id: string;
  readonly role: "voter" | "learner";
  /** The machine, by the member's address; undefined where it is neither. */
  readonly machine: "self" | "peer" | undefined;
  readonly leader: boolean;
}

export interface MemberEffects {
  /** This machine's etcd begins its election now, and not when its own clock says so. Done once it answers; only where nobody else votes. */
  readonly elect: (at: Door, deadline_ms: number) => Promise<Outcome>;
  /** By a linearizable read at that machine's etcd: what the leader has applied. */
  readonly list: (at: Door | "peer", deadline_ms: number) => Promise<Outcome<readonly Member[]>>;
  /** At the peer; an entry of this machine that an earlier try left behind is taken away first. */
  readonly addLearner: (deadline_ms: number) => Promise<Outcome>;
  /** Answered by the leader. `refused` while the learner is behind. */
  readonly promote: (deadline_ms: number) => Promise<Outcome>;
  readonly remove: (id: string, through: Door | "peer", deadline_ms: number) => Promise<Outcome>;
  /** To the peer; done also where the peer leads already. */
  readonly moveLeader: (deadline_ms: number) => Promise<Outcome>;
  /** One small write, proposed now and acknowledged. */
  readonly writeMarker: (deadline_ms: number) => Promise<Outcome>;
}

/** Transient attributes: they end with the membership that they were written in. */
export interface AttributeEffects {
  readonly publish: (said: Published, deadline_ms: number) => Promise<Outcome>;
  readonly readPeer: (deadline_ms: number) => Promise<Outcome<Published | undefined>>;
  /** What this machine last published in this membership. */
  readonly readOwn: (deadline_ms: number) => Promise<Outcome<Published | undefined>>;
  /** The promotion score; undefined: never promoted. */
  readonly score: (score: number | undefined, deadline_ms: number) => Promise<Outcome>;
}

export interface Published {
  readonly holding: Holding;
  readonly serving: boolean;
  readonly running: boolean;
  readonly leaving: boolean;
  /** By setup's word this machine has never held data. */
  readonly isNew: boolean;
  /** Another one with each boot of the machine that says this; undefined: an older duet does not tell. */
  readonly boot: string | undefined;
  /** What its site file says; undefined: an older duet does not tell. */
  readonly witness: "on" | "off" | undefined;
  readonly turn: Turn | undefined;
  readonly logEnd: LogEnd | undefined;
}

export type Bmc = "mine" | "theirs";
/** The machine's own, or an outlet that feeds it: one of several by its number in the site file, from 1. */
export type OffSwitch = "BMC" | "outlet" | `outlet ${number}`;
/** All of them together take the peer's power: a machine with two supplies runs on either. */
export type OffWay = readonly OffSwitch[];

export type MayReplace = (tag: Tag) => boolean;

export interface BmcEffects {
  /** The peer's, by its BMC or its PDU outlets, or by one of them; a BMC that reads On is believed in any case. Only `off` means Off. */
  readonly peerPower: (deadline_ms: number, by?: "BMC" | "outlets") => Promise<Outcome<"on" | "off">>;
  /** In the order in which they are tried, and in each the order in which its switches are. */
  readonly offWays: readonly OffWay[];
  /**
   * `deadline`: it went out and may have been taken. Every other failure says that it was not. The first of several outlets is switched
   * only where the others answer: half of them off helps nobody. It goes out within `send_ms` or not at all; a quarter of its time if not said.
   */
  readonly commandOff: (at: OffSwitch, deadline_ms: number, send_ms?: number) => Promise<Outcome>;
  readonly commandOn: (deadline_ms: number) => Promise<Outcome>;
  /**
   * Reads, compares, writes with If-Match where there is one, reads back. A higher tag stays, and is told; so does one of which `may` says
   * that it is not to be replaced. `may` is asked about what was read in this very call.
   */
  readonly raiseTag: (
    bmc: Bmc,
    lineage: Lineage,
    deadline_ms: number,
    may?: MayReplace,
  ) => Promise<Outcome<"written" | "higher">>;
}

export interface Loss {
  /** The membership without the peer. */
  readonly ring: string;
  /**
   * So long ago did the two lose each other. A machine that stood still counts from when it fell silent, as its peer does.
   * Undefined: it can't tell.
   */
  readonly since_ms: number | undefined;
  /** It was noted that the peer left in order and went off by itself: then somebody wants it off. */
  readonly wentOff: boolean;
  /** Off was noted after this very loss. */
  readonly proven?: boolean;
  /** A command was turned down, or not answered, by who shows the peer's Off: that reading says nothing about who may be a rival. */
  readonly doubted?: boolean;
}

export interface QuorumEffects {
  /** The loss of the peer; undefined while it is a member. */
  readonly loss: () => Promise<Outcome<Loss | undefined>>;
  /** Notes that Off was read after this loss; void by itself once the membership is another. `changed` if it is one already. */
  readonly noteOff: (ring: string, wentOff: boolean) => Promise<Outcome>;
  /** Notes that Off is shown after this loss and could not be proven. */
  readonly noteDoubt: (ring: string) => Promise<Outcome>;
  /** For a lone machine: `cancel_wait_for_all`. */
  readonly grant: (deadline_ms: number) => Promise<Outcome>;
  /** Has Corosync quorum now? To be asked after `grant`: it may be taken and not done. */
  readonly status: () => Promise<Outcome<boolean>>;
}
