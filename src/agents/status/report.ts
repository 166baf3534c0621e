import * as v from "valibot";
import { proofShape } from "../proof/kept.ts";
import { setupReport } from "../setup/report.ts";

/** What can't be known is told with its reason: a status never guesses. */
export type Known<T> =
  | { readonly known: true; readonly value: T }
  | { readonly known: false; readonly why: string };

export const known = <T>(value: T): Known<T> => ({ known: true, value });
export const unknown = (why: string): { readonly known: false; readonly why: string } => ({
  known: false,
  why,
});
export const valueOf = <T>(each: Known<T> | undefined): T | undefined =>
  each?.known === true ? each.value : undefined;

const name = v.pipe(v.string(), v.maxLength(253));
const said = v.pipe(v.string(), v.maxLength(2_000));
const knownShape = <S extends v.GenericSchema>(value: S) =>
  v.variant("known", [
    v.object({ known: v.literal(true), value }),
    v.object({ known: v.literal(false), why: said }),
  ]);

const lineage = v.object({ epoch: v.number(), owner: name });

const fence = v.object({
  by: name,
  target: name,
  at_ms: v.number(),
  result: v.picklist(["success", "failed", "pending"]),
  why: said,
});
export type Fence = v.InferOutput<typeof fence>;

const cluster = v.object({
  dc: v.nullable(name),
  /** One word: `online`, `offline`, `standby`, `unclean`, `pending`, `shutdown`. */
  nodes: v.record(name, v.string()),
  /** The fence devices, by the machine that they switch off. */
  devices: v.record(
    name,
    v.object({
      /** Where it is started; null: nowhere. */
      on: v.nullable(name),
      /** Its own monitor, which logs in and reads the power, has succeeded each time since; null: it has not. */
      since_ms: v.nullable(v.number()),
      interval_s: v.number(),
      failed: v.nullable(said),
    }),
  ),
  fences: v.array(fence),
  failures: v.array(
    v.object({
      node: name,
      /** Pacemaker's name of it. Not told by earlier versions. */
      resource: v.optional(name),
      what: said,
      /** Pacemaker tries it again by itself. */
      again: v.boolean(),
    }),
  ),
  /** By machine: what it runs there, in whatever role. */
  runs: v.optional(v.record(name, v.array(name))),
  /** A person has asked it to start, stop and watch nothing. */
  maintenance: v.optional(v.boolean()),
  /** By machine: what it last said of its API server, for the virtual IP. */
  answers: v.optional(v.record(name, v.boolean())),
  /** By machine: when it last started the kubelet there, by that machine's clock. */
  kubelets_ms: v.optional(v.record(name, v.number())),
});
export type ClusterSight = v.InferOutput<typeof cluster>;

const etcd = v.object({
  version: v.string(),
  /** What its cluster works by: the oldest of its members, once all were seen together. Not told by earlier versions. */
  cluster: v.optional(v.string()),
  id: v.string(),
  role: v.picklist(["leader", "voter", "learner"]),
  leader: v.nullable(v.string()),
  index: v.number(),
  db_bytes: v.number(),
  /** By a linearizable read; null where it gave none, and `why` says why. */
  members: v.nullable(v.array(v.object({ id: v.string(), name, learner: v.boolean() }))),
  why: said,
  alarms: v.array(said),
});
export type EtcdSight = v.InferOutput<typeof etcd>;

const holding = v.object({
  lineage: v.nullable(lineage),
  full: v.boolean(),
  takeover: v.nullable(v.object({ step: v.string(), epoch: v.number() })),
  left: v.boolean(),
  surrendered: v.nullable(v.number()),
  /** Of etcd's revisions after an accepted loss: they are still to be raised, or could not be. */
  bump: v.exactOptional(v.picklist(["owed", "missed"])),
});
export type HoldingSight = v.InferOutput<typeof holding>;

export const sayingShape = v.object({ rule: v.string(), do: v.string(), sentence: said, at_ms: v.number() });
/** The last decision on a question. */
export type Saying = v.InferOutput<typeof sayingShape>;

/** What was decided and could not be done, when that was tried first and last, and how often. */
export const unfinishedShape = v.object({
  why: said,
  since_ms: v.number(),
  at_ms: v.number(),
  tries: v.number(),
  /** A person was called for it. */
  called: v.optional(v.boolean()),
});

const alerts = v.object({
  ways: v.array(
    v.object({
      name: v.pipe(v.string(), v.maxLength(300)),
      sent_ms: v.nullable(v.number()),
      /** The last that failed; `again`: so did the last of all, and it is tried again. */
      failed: v.nullable(v.object({ at_ms: v.number(), why: said, again: v.boolean() })),
      waiting: v.number(),
      /** So many were not delivered within a day, and are not tried any more. */
      given_up: v.number(),
    }),
  ),
});
export type AlertSight = v.InferOutput<typeof alerts>;

const api = v.object({
  /** The virtual IP; null: the site has a load balancer. */
  address: v.nullable(name),
  ready: v.boolean(),
  why: said,
  /** Of its own checks, those that fail. */
  checks: v.optional(v.array(name)),
});
export type ApiSight = v.InferOutput<typeof api>;

const onOff = v.picklist(["on", "off"]);

/** All that one machine knows of itself and its peer. Nothing in it is secret. */
export const reportShape = v.object({
  format: v.literal(1),
  machine: name,
  duet: v.string(),
  at_ms: v.number(),
  up_s: v.number(),
  setup: setupReport,
  /** Another one with each boot. */
  boot: v.optional(v.string()),
  corosync: knownShape(
    v.object({
      quorate: v.boolean(),
      members: v.array(name),
      /** It has not seen its peer since it booted, and waits for it. */
      waits: v.boolean(),
    }),
  ),
  pacemaker: knownShape(cluster),
  /** Of duet's own file. */
  holding: knownShape(holding),
  unit: knownShape(
    v.object({
      active: v.string(),
      masked: v.boolean(),
      failedStarts: v.number(),
      /** The etcd that a start would run; null: it does not tell. Not told by earlier versions. */
      installed: v.optional(v.nullable(v.string())),
    }),
  ),
  /** By machine: this one's, and the peer's as it answers here. */
  etcd: v.record(name, knownShape(etcd)),
  /** What the peer has published in this membership; null: nothing yet. */
  peerSays: knownShape(v.nullable(holding)),
  /** What the peer goes by, in its own words; null: nothing was told. */
  peerSaying: knownShape(v.nullable(sayingShape)),
  power: v.record(name, knownShape(v.string())),
  said: v.record(v.string(), sayingShape),
  /** Null: what was decided last was done. Not told by earlier versions. */
  unfinished: v.optional(v.nullable(unfinishedShape)),
  /** Why a machine of this site can't start alone by itself; null: it can. Not told by earlier versions. */
  alone: v.optional(v.nullable(said)),
  /** What its site file says, and what the peer's does, as it heard last; null: it never told. Not told by earlier versions. */
  witness: v.optional(v.object({ mine: onOff, peer: v.nullable(onOff) })),
  /** Machines that duet was taken off, as the cluster knows it. Not told by earlier versions. */
  uninstalled: v.optional(v.array(name)),
  /** Settings that run otherwise than duet loaded them; null: nothing was loaded yet. Not told by earlier versions. */
  drift: v.optional(v.nullable(v.object({ pacemaker: v.array(said), corosync: v.array(said) }))),
  /** Of the leader's database, while it comes; null: none comes. Not told by earlier versions. */
  receiving_bytes: v.optional(v.nullable(v.number())),
  /** When it heard its peer in the very boot of which it had read Off; null: it did not, in this boot of its own. Not told by earlier versions. */
  falseOff_ms: v.optional(v.nullable(v.number())),
  /** When its peer left by plan, by its own record; null: it did not, or was back since. Not told by earlier versions. */
  peerLeft_ms: v.optional(v.nullable(v.number())),
  /** The last time that this machine proved its peer Off, by its own record. */
  lastOff: knownShape(v.nullable(fence)),
  /** Its last harmless test of fencing its peer; null: none yet. */
  proof: v.optional(knownShape(v.nullable(proofShape))),
  /** Credentials that are being changed here, by the machine whose BMC they are of. */
  rotations: v.optional(
    v.record(
      name,
      v.object({
        /** Held beside the old ones since then; null: the old ones are gone. */
        waiting_ms: v.nullable(v.number()),
        /** The peer is not known to have them. */
        handOver: v.boolean(),
      }),
    ),
  ),
  /** How telling people went; null: the site tells nobody. Missing: its duet is older. */
  alerts: v.optional(knownShape(v.nullable(alerts))),
  /** Its own API server; null: the site has none of duet's. Missing: its duet is older. */
  api: v.optional(knownShape(v.nullable(api))),
});
export type Report = v.InferOutput<typeof reportShape>;
