import * as v from "valibot";

/** What the clients' program says of itself, and what its judges say. Times in it are microseconds since the load began. */

const reads = v.object({
  /** Writes that its etcd ended with an error: no connection that broke, and no client that gave up. And the longest until one. */
  errors: v.number(),
  longest_error_us: v.number(),
  linearizable: v.number(),
  serializable: v.number(),
  acknowledged: v.number(),
  last_serializable_us: v.number(),
  serializable_gap_us: v.number(),
  last_linearizable_us: v.number(),
  last_acknowledged_us: v.number(),
});

const status = v.object({
  now_us: v.number(),
  /** Milliseconds since the epoch. */
  begun_ms: v.number(),
  ended: v.boolean(),
  operations: v.number(),
  in_flight: v.number(),
  acknowledged: v.number(),
  /** Writes whose client was told of a failure. */
  failed: v.number(),
  /** Writes whose client heard nothing, or lost its connection. */
  open: v.number(),
  first_us: v.number(),
  last_us: v.number(),
  gap_us: v.number(),
  gap_end_us: v.number(),
  /** The longest that a write took until its answer, or without one at an etcd that answered others meanwhile. */
  longest_us: v.number(),
  hung: v.number(),
  endpoints: v.record(v.string(), reads),
  errors: v.record(v.string(), v.number()),
});
export type Status = v.InferOutput<typeof status>;
export const readStatus = (line: string): Status => v.parse(v.pipe(v.string(), v.parseJson(), status), line);

const flight = v.object({
  wanted: v.number(),
  /** How long etcd served, and for how much of it as many as wanted were in flight. */
  owed_us: v.number(),
  held_us: v.number(),
  /** The least while etcd served, if only for a microsecond; -1 where it never did. */
  fewest: v.number(),
});
export type Flight = v.InferOutput<typeof flight>;

const verdict = v.object({
  ok: v.boolean(),
  operations: v.number(),
  keys: v.number(),
  open: v.number(),
  open_seen: v.number(),
  problems: v.array(v.string()),
  picture: v.optional(v.string()),
  /** Of clients that are to keep a number in flight. */
  flight: v.optional(flight),
  took_ms: v.number(),
});
export type Verdict = v.InferOutput<typeof verdict>;
export const readVerdict = (text: string): Verdict =>
  v.parse(v.pipe(v.string(), v.parseJson(), verdict), text);

const revisions = v.object({
  ok: v.boolean(),
  /** The highest that any client was answered with. */
  seen: v.number(),
  /** By a linearizable read; 0 where nobody answers one. */
  now: v.number(),
  problems: v.array(v.string()),
});
export type Revisions = v.InferOutput<typeof revisions>;
export const readRevisions = (text: string): Revisions =>
  v.parse(v.pipe(v.string(), v.parseJson(), revisions), text);

const found = v.object({
  ok: v.boolean(),
  acknowledged: v.number(),
  open: v.number(),
  open_happened: v.number(),
  machines: v.array(
    v.object({
      name: v.string(),
      silent: v.optional(v.string()),
      revision: v.number(),
      changes: v.number(),
      missing: v.number(),
      /** Linearizable reads that it has answered to the clients. */
      linearizable: v.number(),
      digest: v.string(),
    }),
  ),
  problems: v.array(v.string()),
});
export type Found = v.InferOutput<typeof found>;
export const readFound = (text: string): Found => v.parse(v.pipe(v.string(), v.parseJson(), found), text);
