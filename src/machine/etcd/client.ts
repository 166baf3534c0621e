import { type Result, success } from "./failure.ts";
import { call, type Endpoint, get } from "./gateway.ts";
import {
  delete_shape,
  empty_shape,
  health_shape,
  lease_shape,
  members_shape,
  range_shape,
  status_shape,
  txn_shape,
  versions_shape,
} from "./shapes.ts";

export type { Endpoint } from "./gateway.ts";
export type { EtcdFailure, Reason, Result } from "./failure.ts";

/** Ids are hexadecimal, as etcd's own tools print them. */
export interface Status {
  readonly clusterId: string;
  readonly memberId: string;
  readonly version: string;
  /** As this member knows it; undefined where it knows none. */
  readonly leader: string | undefined;
  readonly isLearner: boolean;
  readonly term: number;
  readonly index: number;
  readonly applied: number;
  readonly db_bytes: number;
  readonly db_bytes_used: number;
  /** Alarms too: `memberID:… alarm:NOSPACE`. */
  readonly errors: readonly string[];
}

export interface ListedMember {
  readonly id: string;
  /** Empty until it has started for the first time. */
  readonly name: string;
  readonly peerUrls: readonly string[];
  readonly isLearner: boolean;
}

export interface Kv {
  readonly key: string;
  readonly value: string;
  readonly revision: number;
}

/** A member's own view, which it gives alone, leader or not, as a learner too. */
export async function status(at: Endpoint, deadline_ms: number): Promise<Result<Status>> {
  const answer = await call(at, "maintenance/status", {}, status_shape, deadline_ms);
  if (!answer.ok) return answer;
  const {
    header,
    version,
    leader,
    isLearner,
    raftTerm,
    raftIndex,
    raftAppliedIndex,
    dbSize,
    dbSizeInUse,
    errors,
  } = answer.value;
  return success({
    clusterId: header.cluster_id,
    memberId: header.member_id,
    version,
    leader,
    isLearner,
    term: raftTerm,
    index: raftIndex,
    applied: raftAppliedIndex,
    db_bytes: dbSize,
    db_bytes_used: dbSizeInUse,
    errors,
  });
}

/**
 * What this member has applied, and with that at least what was committed when it was asked. Without the flag etcd answers
 * from what it happens to know: in a request `false` is the default, whatever etcdctl does.
 */
export async function memberList(
  at: Endpoint,
  deadline_ms: number,
): Promise<Result<readonly ListedMember[]>> {
  const answer = await call(at, "cluster/member/list", { linearizable: true }, members_shape, deadline_ms);
  if (!answer.ok) return answer;
  return success(
    answer.value.members.map(({ ID, name, peerURLs, isLearner }) => ({
      id: ID,
      name,
      peerUrls: peerURLs,
      isLearner,
    })),
  );
}

export const addLearner = (
  at: Endpoint,
  peerUrls: readonly string[],
  deadline_ms: number,
): Promise<Result<void>> =>
  order(at, "cluster/member/add", { peerURLs: peerUrls, isLearner: true }, deadline_ms);

/** Any member passes it on to the leader, and answers when the leader has. */
export const promote = (at: Endpoint, id: string, deadline_ms: number): Promise<Result<void>> =>
  order(at, "cluster/member/promote", { ID: decimal(id) }, deadline_ms);

export const remove = (at: Endpoint, id: string, deadline_ms: number): Promise<Result<void>> =>
  order(at, "cluster/member/remove", { ID: decimal(id) }, deadline_ms);

/** Only the leader does this; it answers when the other leads. */
export const moveLeader = (at: Endpoint, to: string, deadline_ms: number): Promise<Result<void>> =>
  order(at, "maintenance/transfer-leadership", { targetID: decimal(to) }, deadline_ms);

export const put = (at: Endpoint, key: string, value: string, deadline_ms: number): Promise<Result<void>> =>
  order(at, "kv/put", { key: encoded(key), value: encoded(value) }, deadline_ms);

/** How many there were. It is a write like any, also where there were none. */
export async function deleteKey(at: Endpoint, key: string, deadline_ms: number): Promise<Result<number>> {
  const answer = await call(at, "kv/deleterange", { key: encoded(key) }, delete_shape, deadline_ms);
  return answer.ok ? success(answer.value.deleted) : answer;
}

export interface Conditional {
  readonly key: string;
  readonly value: string;
  /** The lease with which it goes again. */
  readonly lease: string;
  /** That of the key as it was last seen; 0: it is not there. */
  readonly revision: number;
}

/** Writes only if nobody has changed the key since: false, if somebody has. */
export async function putIfUnchanged(
  at: Endpoint,
  { key, value, lease, revision }: Conditional,
  deadline_ms: number,
): Promise<Result<boolean>> {
  const body = {
    compare: [{ key: encoded(key), target: "MOD", result: "EQUAL", modRevision: String(revision) }],
    success: [{ requestPut: { key: encoded(key), value: encoded(value), lease } }],
  };
  const answer = await call(at, "kv/txn", body, txn_shape, deadline_ms);
  return answer.ok ? success(answer.value.succeeded) : answer;
}

/** Takes it away only if nobody has changed it since: false, if somebody has. */
export async function deleteIfUnchanged(
  at: Endpoint,
  { key, revision }: Pick<Conditional, "key" | "revision">,
  deadline_ms: number,
): Promise<Result<boolean>> {
  const body = {
    compare: [{ key: encoded(key), target: "MOD", result: "EQUAL", modRevision: String(revision) }],
    success: [{ requestDeleteRange: { key: encoded(key) } }],
  };
  const answer = await call(at, "kv/txn", body, txn_shape, deadline_ms);
  return answer.ok ? success(answer.value.succeeded) : answer;
}

/** The number of a lease: what is written with it goes when it ends, of itself or by `revokeLease`. */
export async function grantLease(at: Endpoint, ttl_s: number, deadline_ms: number): Promise<Result<string>> {
  const answer = await call(at, "lease/grant", { TTL: String(ttl_s) }, lease_shape, deadline_ms);
  return answer.ok ? success(answer.value.ID) : answer;
}

export const revokeLease = (at: Endpoint, lease: string, deadline_ms: number): Promise<Result<void>> =>
  order(at, "lease/revoke", { ID: lease }, deadline_ms);

export interface Question {
  readonly key: string;
  /** Also all keys from there on and before this one. */
  readonly until?: string;
  readonly limit?: number;
  /** `serializable`: from what this member has, however old. */
  readonly read: "linearizable" | "serializable";
}

const range_limit = 1000;

export async function range(
  at: Endpoint,
  { key, until, limit = range_limit, read }: Question,
  deadline_ms: number,
): Promise<Result<readonly Kv[]>> {
  const body = {
    key: encoded(key),
    ...(until === undefined ? {} : { range_end: encoded(until) }),
    limit: String(limit),
    serializable: read === "serializable",
  };
  const answer = await call(at, "kv/range", body, range_shape, deadline_ms);
  if (!answer.ok) return answer;
  return success(answer.value.kvs.map((kv) => ({ key: kv.key, value: kv.value, revision: kv.mod_revision })));
}

/** What this member runs, and what its cluster works by, which is what it lets others in by. */
export async function versions(
  at: Endpoint,
  deadline_ms: number,
): Promise<Result<{ readonly server: string; readonly cluster: string }>> {
  const answer = await get(at, "/version", versions_shape, deadline_ms);
  return answer.ok ? success({ server: answer.value.etcdserver, cluster: answer.value.etcdcluster }) : answer;
}

export interface Health {
  readonly healthy: boolean;
  readonly reason: string;
}

/** By etcd's own `/health`: a read of the kind that is asked for, and no alarm. */
export async function health(
  at: Endpoint,
  read: "linearizable" | "serializable",
  deadline_ms: number,
): Promise<Result<Health>> {
  const answer = await get(at, `/health?serializable=${read === "serializable"}`, health_shape, deadline_ms);
  return answer.ok
    ? success({ healthy: answer.value.health === "true", reason: answer.value.reason })
    : answer;
}

async function order(
  at: Endpoint,
  path: string,
  body: Readonly<Record<string, unknown>>,
  deadline_ms: number,
): Promise<Result<void>> {
  const answer = await call(at, path, body, empty_shape, deadline_ms);
  return answer.ok ? success(undefined) : answer;
}

/** As etcd's requests want it: a string of decimal digits, since a JSON number would be rounded. */
const decimal = (id: string): string => BigInt(`0x${id}`).toString();

const encoded = (text: string): string => Buffer.from(text).toString("base64");
