import { label } from "../kernel/label.ts";
import type { Life } from "../kernel/life.ts";
import type { DataFolder } from "./data.ts";
import type { EtcdEnv } from "./env.ts";
import { RaftLog } from "./log.ts";
import { Member } from "./member.ts";
import { changed, invalid } from "./membership.ts";
import { Raft } from "./raft.ts";
import {
  type ConfChange,
  type Entry,
  entryOf,
  type HardState,
  noMembership,
  proposalOf,
  type SnapshotData,
} from "./types.ts";

const election = label("etcd.election");

/** How etcd is started: flags and what the data folder holds decide. */
export type StartKind =
  /** A new cluster of these members, by id and machine. The folder is empty. */
  | { readonly kind: "new"; readonly members: Readonly<Record<number, number>> }
  /** Added to a running cluster before. The folder is empty. */
  | { readonly kind: "join"; readonly members: Readonly<Record<number, number>> }
  | { readonly kind: "restart" }
  | { readonly kind: "force new cluster" };

export interface Host {
  readonly machine: number;
  readonly life: Life;
}

/** The process with all that it read from disk. `start()` of what it gives makes it work. */
export function openMember(env: EtcdEnv, host: Host, data: DataFolder, how: StartKind): Member {
  if (data.corrupt) throw new Error("the WAL can't be read");
  data.wal.processEnded();
  switch (how.kind) {
    case "new":
      return newCluster(env, host, data, how.members);
    case "join":
      return member(env, host, data, new RaftLog(), undefined, undefined, how.members, true);
    case "restart": {
      const { state, entries, snapshot } = data.wal.replay(data.snapshots);
      return member(env, host, data, logOf(snapshot, entries), state, snapshot, {});
    }
    case "force new cluster":
      return forceNewCluster(env, host, data);
  }
}

const logOf = (snapshot: SnapshotData | undefined, entries: readonly Entry[]): RaftLog =>
  new RaftLog(snapshot?.index ?? 0, snapshot?.term ?? 0, entries);

function member(
  env: EtcdEnv,
  host: Host,
  data: DataFolder,
  log: RaftLog,
  state: HardState | undefined,
  snapshot: SnapshotData | undefined,
  addresses: Readonly<Record<number, number>>,
  joins = false,
): Member {
  const { kernel, times } = env;
  const draw = (n: number) => kernel.choices.jitter(election, n);
  const raft = new Raft(data.member, log, times, draw, state, snapshot?.membership);
  // A cluster of one does not wait for others to be heard.
  if (isAlone(data.member, log, snapshot)) raft.elapsed_ticks = times.election_ticks - 1;
  return new Member(env, host.machine, data, raft, { life: host.life, addresses, joins });
}

/** A first start: the members are the first entries of the log, committed by definition. */
function newCluster(
  env: EtcdEnv,
  host: Host,
  data: DataFolder,
  members: Readonly<Record<number, number>>,
): Member {
  const log = new RaftLog();
  for (const id of Object.keys(members).map(Number)) {
    const change: ConfChange = { kind: "add voter", member: id, machine: members[id] ?? 0 };
    log.append(entryOf(proposalOf("conf", 0, 0, 0, change), 1, log.last_index + 1));
  }
  log.stable = 0;
  const made = member(env, host, data, log, { term: 1, vote: 0, commit: 0 }, undefined, members);
  log.commitTo(log.last_index);
  made.raft.useConf({ voters: Object.keys(members).map(Number), learners: [] });
  return made;
}

/**
 * `--force-new-cluster` as etcd does it: entries after the HardState's commit are dropped, whatever they are; what is left is
 * committed together with entries that remove everybody else. Cluster id, member id and term stay. Where this member is a
 * learner, or was removed, the last of these entries removes the only voter, and etcd panics now and at every later start.
 */
function forceNewCluster(env: EtcdEnv, host: Host, data: DataFolder): Member {
  const { state, entries, snapshot } = data.wal.replay(data.snapshots);
  const kept = entries.filter((entry) => entry.index <= state.commit);
  const ids = knownIds(snapshot, kept, env.times.ghost_learner);
  const changes: ConfChange[] = [];
  if (!ids.has(data.member)) changes.push({ kind: "add voter", member: data.member, machine: host.machine });
  for (const id of [...ids].toSorted((a, b) => a - b))
    if (id !== data.member) changes.push({ kind: "remove", member: id, machine: 0 });
  const made = changes.map((change, i) =>
    entryOf(proposalOf("conf", 0, 0, 0, change), state.term, state.commit + 1 + i),
  );
  data.wal.save(undefined, made);
  data.wal.flushAndSync();
  const all = [...kept, ...made];
  const commit = all.at(-1)?.index ?? state.commit;
  return member(env, host, data, logOf(snapshot, all), { ...state, commit }, snapshot, {});
}

/** Voters of the snapshot and everybody that an entry added since, less those removed. Learners of the snapshot only lately. */
function knownIds(
  snapshot: SnapshotData | undefined,
  entries: readonly Entry[],
  ghost_learner: boolean,
): Set<number> {
  const ids = new Set(snapshot?.membership.voters);
  if (!ghost_learner) for (const id of snapshot?.membership.learners ?? []) ids.add(id);
  for (const { change } of entries) {
    if (change === undefined) continue;
    if (change.kind === "remove") ids.delete(change.member);
    else ids.add(change.member);
  }
  return ids;
}

function isAlone(id: number, log: RaftLog, snapshot: SnapshotData | undefined): boolean {
  let membership = snapshot?.membership ?? noMembership;
  for (const { change } of log.slice(log.base_index + 1, log.last_index + 1)) {
    if (change === undefined || invalid(membership, change) !== undefined) continue;
    if (change.kind === "remove" && membership.voters.length === 1 && membership.voters[0] === change.member)
      return false;
    membership = changed(membership, change);
  }
  return membership.voters.length === 1 && membership.voters[0] === id && membership.learners.length === 0;
}
