import {
  advance,
  becomeProbe,
  becomeReplicate,
  becomeSnapshot,
  isPaused,
  type Progress,
  retreat,
} from "./progress.ts";
import type { Raft } from "./raft.ts";
import { type Conf, entryOf, type Message, none, type Proposal, proposalOf } from "./types.ts";

/** False: the proposal is dropped, and whoever made it waits for its time-out. */
export function propose(raft: Raft, proposal: Proposal): boolean {
  // Removed by its own log and still leader: it takes no writes, but see `readIndex`.
  if (raft.progressOf(raft.id) === undefined || raft.transferee !== none) return false;
  let taken = proposal;
  if (proposal.kind === "conf") {
    // One change at a time, by what was handed to the applier. A second one becomes an empty entry, and nobody is told.
    if (raft.pending_conf > raft.log.handed) taken = proposalOf("empty", 0);
    else raft.pending_conf = raft.log.last_index + 1;
  }
  appendOwn(raft, taken);
  sendAppends(raft);
  return true;
}

export function appendOwn(raft: Raft, proposal: Proposal): void {
  raft.log.append(entryOf(proposal, raft.term, raft.log.last_index + 1));
  const own = raft.progressOf(raft.id);
  // Counted before it is synced: nothing of it is seen outside before the `Ready` that saves it is done.
  if (own !== undefined) advance(own, raft.log.last_index);
  maybeCommit(raft);
}

/** How far a majority of the voters is known to be. */
function majorityReach(raft: Raft): number {
  const { voters } = raft.conf;
  const [one = none, other = one] = voters;
  if (voters.length <= 2) return Math.min(matchOf(raft, one), matchOf(raft, other));
  const reached = voters.map((id) => matchOf(raft, id)).toSorted((a, b) => b - a);
  return reached[Math.floor(reached.length / 2)] ?? 0;
}

const matchOf = (raft: Raft, id: number): number => raft.progressOf(id)?.match ?? 0;

export function maybeCommit(raft: Raft): boolean {
  const { log } = raft;
  if (raft.conf.voters.length === 0) return false;
  const index = majorityReach(raft);
  if (index <= log.committed || log.term(index) !== raft.term) return false;
  log.commitTo(index);
  return true;
}

export function sendAppends(raft: Raft): void {
  for (const progress of raft.progress) if (progress.id !== raft.id) sendAppend(raft, progress, true);
}

function sendAppend(raft: Raft, progress: Progress, evenEmpty: boolean): boolean {
  if (isPaused(progress)) return false;
  const { log } = raft;
  const logTerm = log.term(progress.next - 1);
  if (logTerm === undefined) return sendSnapshot(raft, progress);
  const isBehind = progress.next <= log.last_index;
  if (!isBehind && !evenEmpty) return false;
  const m = raft.send("append", progress.id);
  m.index = (isBehind ? progress.next : log.last_index + 1) - 1;
  m.logTerm = logTerm;
  m.commit = log.committed;
  if (isBehind) {
    m.entries = log.slice(progress.next, log.last_index + 1);
    if (progress.state === "replicate") progress.next = log.last_index + 1;
    else progress.probe_sent = true;
  }
  return true;
}

/** Which state it holds is filled in by the member, from what it has applied by then. */
function sendSnapshot(raft: Raft, progress: Progress): boolean {
  if (!progress.active) return false;
  becomeSnapshot(progress, raft.log.handed);
  raft.send("snapshot", progress.id);
  return true;
}

export function sendHeartbeats(raft: Raft, context: number): void {
  for (const progress of raft.progress) {
    if (progress.id === raft.id) continue;
    const m = raft.send("heartbeat", progress.id);
    m.commit = Math.min(progress.match, raft.log.committed);
    m.context = context;
  }
}

export function leaderTick(raft: Raft): void {
  raft.elapsed_ticks += 1;
  if (raft.elapsed_ticks >= raft.election_ticks) {
    raft.elapsed_ticks = 0;
    checkQuorum(raft);
    raft.transferee = none;
  }
  if (raft.role === "leader") sendHeartbeats(raft, raft.reads.at(-1)?.context ?? 0);
}

/** A leader that heard too few for a whole election time-out steps down, and knows of no leader then. */
function checkQuorum(raft: Raft): void {
  let active = 0;
  for (const id of raft.conf.voters) if (id === raft.id || raft.progressOf(id)?.active === true) active += 1;
  if (active < Math.floor(raft.conf.voters.length / 2) + 1 && raft.conf.voters.length > 0)
    raft.becomeFollower(raft.term, none);
  for (const progress of raft.progress) if (progress.id !== raft.id) progress.active = false;
}

export function stepLeader(raft: Raft, m: Message): void {
  if (m.type === "propose") {
    if (m.proposal !== undefined) propose(raft, m.proposal);
    return;
  }
  if (m.type === "read index") {
    readIndex(raft, m);
    return;
  }
  const progress = raft.progressOf(m.from);
  if (progress === undefined) return;
  if (m.type === "append answer") appendAnswer(raft, progress, m);
  else if (m.type === "heartbeat answer") heartbeatAnswer(raft, progress, m);
  else if (m.type === "transfer") transfer(raft, progress);
}

function appendAnswer(raft: Raft, progress: Progress, m: Message): void {
  progress.active = true;
  const { log } = raft;
  if (m.reject) {
    const hint = m.logTerm > 0 ? log.conflictByTerm(m.hint, m.logTerm) : m.hint;
    if (!retreat(progress, m.index, hint)) return;
    if (progress.state === "replicate") becomeProbe(progress);
    sendAppend(raft, progress, true);
    return;
  }
  const paused = isPaused(progress);
  if (!advance(progress, m.index)) return;
  if (progress.state === "probe") becomeReplicate(progress);
  else if (progress.state === "snapshot" && progress.match >= progress.pending_snapshot)
    becomeReplicate(progress);
  if (maybeCommit(raft)) {
    releaseReads(raft);
    // This, or the next heartbeat, is how a follower learns of the commit: later than it has the entries.
    sendAppends(raft);
  } else if (paused) sendAppend(raft, progress, true);
  sendAppend(raft, progress, false);
  if (m.from === raft.transferee && progress.match === log.last_index) raft.send("campaign now", m.from);
}

function heartbeatAnswer(raft: Raft, progress: Progress, m: Message): void {
  progress.active = true;
  progress.probe_sent = false;
  if (progress.match < raft.log.last_index) sendAppend(raft, progress, true);
  if (m.context === 0) return;
  const at = raft.reads.findIndex((read) => read.context === m.context);
  const read = raft.reads[at];
  if (read === undefined) return;
  if (!read.acks.includes(m.from)) read.acks.push(m.from);
  if (!isMajority(raft.conf, read.acks)) return;
  for (const done of raft.reads.splice(0, at + 1)) answerRead(raft, done.from, done.context, done.index);
}

function isMajority({ voters }: Conf, ids: readonly number[]): boolean {
  let count = 0;
  for (const id of voters) if (ids.includes(id)) count += 1;
  return count >= Math.floor(voters.length / 2) + 1;
}

/**
 * A linearizable read: answered when a majority confirms the leader in a round of heartbeats. With one voter it is answered at
 * once, *also when that voter is somebody else*: so a removed leader goes on answering alone.
 */
function readIndex(raft: Raft, m: Message): void {
  if (raft.conf.voters.length === 1) {
    answerRead(raft, m.from, m.context, raft.log.committed);
    return;
  }
  if (raft.log.term(raft.log.committed) !== raft.term) raft.early_reads.push(m);
  else beginRead(raft, m);
}

function beginRead(raft: Raft, m: Message): void {
  if (raft.reads.every((read) => read.context !== m.context))
    raft.reads.push({
      context: m.context,
      from: m.from,
      index: raft.log.committed,
      acks: [raft.id],
    });
  sendHeartbeats(raft, m.context);
}

function answerRead(raft: Raft, from: number, context: number, index: number): void {
  if (from === none || from === raft.id) raft.read_states.push({ context, index });
  else {
    const m = raft.send("read index answer", from);
    m.context = context;
    m.index = index;
  }
}

function releaseReads(raft: Raft): void {
  if (raft.early_reads.length === 0 || raft.log.term(raft.log.committed) !== raft.term) return;
  const early = raft.early_reads;
  raft.early_reads = [];
  for (const m of early) beginRead(raft, m);
}

function transfer(raft: Raft, progress: Progress): void {
  if (raft.conf.learners.includes(progress.id) || progress.id === raft.transferee || progress.id === raft.id)
    return;
  raft.elapsed_ticks = 0;
  raft.transferee = progress.id;
  if (progress.match === raft.log.last_index) raft.send("campaign now", progress.id);
  else sendAppend(raft, progress, true);
}

/** A snapshot arrived at the other end, or could not be sent. */
export function snapshotReported(raft: Raft, id: number, arrived: boolean): void {
  const progress = raft.progressOf(id);
  if (raft.role !== "leader" || progress?.state !== "snapshot") return;
  if (!arrived) progress.pending_snapshot = 0;
  becomeProbe(progress);
  progress.probe_sent = true;
}

/** The transport lost its connection: what was sent ahead may not have come. */
export function unreachable(raft: Raft, id: number): void {
  const progress = raft.progressOf(id);
  if (raft.role === "leader" && progress?.state === "replicate") becomeProbe(progress);
}

/** After a change of the configuration: fewer may now be enough to commit, and a new member wants its log. */
export function afterConfChange(raft: Raft): void {
  if (raft.role !== "leader" || !raft.conf.voters.includes(raft.id)) return;
  if (maybeCommit(raft)) sendAppends(raft);
  else for (const progress of raft.progress) if (progress.id !== raft.id) sendAppend(raft, progress, false);
  if (!raft.conf.voters.includes(raft.transferee)) raft.transferee = none;
}
