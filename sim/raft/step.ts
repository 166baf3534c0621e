import { appendOwn, leaderTick, sendAppends, stepLeader } from "./leader.ts";
import type { Raft } from "./raft.ts";
import { type Message, type MessageType, none, proposalOf } from "./types.ts";

/** `context` of a vote that a leader asked for by a transfer: it is not stopped by the lease. */
const forced = 1;

export function tick(raft: Raft): void {
  if (raft.role === "leader") {
    leaderTick(raft);
    return;
  }
  raft.elapsed_ticks += 1;
  if (raft.promotable && raft.elapsed_ticks >= raft.timeout_ticks) {
    raft.elapsed_ticks = 0;
    campaign(raft, "pre-vote");
  }
}

/** Begins an election, with a round of pre-votes first unless a leader hands over. */
function campaign(raft: Raft, type: "pre-vote" | "vote", context = 0): void {
  if (raft.role === "leader" || !raft.promotable || confWaits(raft)) return;
  if (type === "pre-vote") {
    raft.votes.clear();
    raft.lead = none;
    raft.become("pre-candidate");
  } else {
    raft.reset(raft.term + 1);
    raft.vote = raft.id;
    raft.become("candidate");
  }
  if (countVote(raft, raft.id, true) === "won") {
    won(raft);
    return;
  }
  const term = type === "pre-vote" ? raft.term + 1 : raft.term;
  for (const id of raft.conf.voters) {
    if (id === raft.id) continue;
    const m = raft.sendVote(type, id, term);
    m.index = raft.log.last_index;
    m.logTerm = raft.log.last_term;
    m.context = context;
  }
}

/** A membership change that is committed and not yet handed over: whose votes count is not known here. */
function confWaits(raft: Raft): boolean {
  const { log } = raft;
  for (let index = log.handed + 1; index <= log.committed; index += 1)
    if (log.entry(index)?.kind === "conf") return true;
  return false;
}

function won(raft: Raft): void {
  if (raft.role === "pre-candidate") {
    campaign(raft, "vote");
    return;
  }
  raft.becomeLeader();
  appendOwn(raft, proposalOf("empty", 0));
  sendAppends(raft);
}

function countVote(raft: Raft, id: number, granted: boolean): "won" | "lost" | "open" {
  if (!raft.votes.has(id)) raft.votes.set(id, granted);
  const { voters } = raft.conf;
  const need = Math.floor(voters.length / 2) + 1;
  let yes = 0;
  let no = 0;
  for (const voter of voters) {
    const vote = raft.votes.get(voter);
    if (vote === true) yes += 1;
    else if (vote === false) no += 1;
  }
  if (yes >= need) return "won";
  return voters.length - no < need ? "lost" : "open";
}

export function step(raft: Raft, m: Message): void {
  if (m.term !== 0 && m.term !== raft.term && !stepTerm(raft, m)) return;
  if (m.type === "vote" || m.type === "pre-vote") stepVote(raft, m);
  else if (raft.role === "leader") stepLeader(raft, m);
  else if (raft.role === "follower") stepFollower(raft, m);
  else stepCandidate(raft, m);
}

/** Another term than ours: false where the message ends here. */
function stepTerm(raft: Raft, m: Message): boolean {
  if (m.term > raft.term) {
    if (m.type === "vote" || m.type === "pre-vote") {
      const leased = raft.lead !== none && raft.elapsed_ticks < raft.election_ticks;
      if (leased && m.context !== forced) return false;
    }
    // A pre-vote binds nobody, nor does its answer, unless it was refused by somebody of a later term.
    if (m.type === "pre-vote" || (m.type === "pre-vote answer" && !m.reject)) return true;
    const leads = m.type === "append" || m.type === "heartbeat" || m.type === "snapshot";
    raft.becomeFollower(m.term, leads ? m.from : none);
    return true;
  }
  // An old leader that was away is told the term, or it would go on for ever.
  if (m.type === "heartbeat" || m.type === "append") raft.send("append answer", m.from);
  else if (m.type === "pre-vote") raft.sendVote("pre-vote answer", m.from, raft.term).reject = true;
  return false;
}

function stepVote(raft: Raft, m: Message): void {
  const answer: MessageType = m.type === "vote" ? "vote answer" : "pre-vote answer";
  const free =
    raft.vote === m.from ||
    (raft.vote === none && raft.lead === none) ||
    (m.type === "pre-vote" && m.term > raft.term);
  if (!free || !raft.log.upToDate(m.index, m.logTerm)) {
    raft.sendVote(answer, m.from, raft.term).reject = true;
    return;
  }
  raft.sendVote(answer, m.from, m.term);
  if (m.type === "vote") {
    raft.elapsed_ticks = 0;
    raft.vote = m.from;
  }
}

function stepCandidate(raft: Raft, m: Message): void {
  if (m.type === "append" || m.type === "heartbeat" || m.type === "snapshot") {
    raft.becomeFollower(m.term, m.from);
    follow(raft, m);
    return;
  }
  const mine = raft.role === "pre-candidate" ? "pre-vote answer" : "vote answer";
  if (m.type !== mine) return;
  const result = countVote(raft, m.from, !m.reject);
  if (result === "won") won(raft);
  else if (result === "lost") raft.becomeFollower(raft.term, none);
}

function stepFollower(raft: Raft, m: Message): void {
  switch (m.type) {
    case "propose":
      // Without a leader a proposal is dropped without a word.
      if (raft.lead !== none) raft.send("propose", raft.lead).proposal = m.proposal;
      return;
    case "append":
    case "heartbeat":
    case "snapshot":
      raft.elapsed_ticks = 0;
      raft.lead = m.from;
      follow(raft, m);
      return;
    case "transfer":
      if (raft.lead !== none) raft.pass({ ...m, to: raft.lead, term: raft.term });
      return;
    case "campaign now":
      campaign(raft, "vote", forced);
      return;
    case "read index":
      if (raft.lead !== none) raft.pass({ ...m, from: raft.id, to: raft.lead });
      return;
    case "read index answer":
      raft.read_states.push({ context: m.context, index: m.index });
      return;
    case "append answer":
    case "heartbeat answer":
    case "pre-vote":
    case "pre-vote answer":
    case "vote":
    case "vote answer":
      return;
  }
}

function follow(raft: Raft, m: Message): void {
  if (m.type === "append") followAppend(raft, m);
  else if (m.type === "heartbeat") {
    raft.log.commitTo(m.commit);
    raft.send("heartbeat answer", m.from).context = m.context;
  } else followSnapshot(raft, m);
}

function followAppend(raft: Raft, m: Message): void {
  const { log } = raft;
  if (m.index < log.committed) {
    raft.send("append answer", m.from).index = log.committed;
    return;
  }
  const last = log.maybeAppend(m.index, m.logTerm, m.commit, m.entries);
  if (last !== undefined) {
    raft.send("append answer", m.from).index = last;
    return;
  }
  const hint = log.conflictByTerm(Math.min(m.index, log.last_index), m.logTerm);
  const refusal = raft.send("append answer", m.from);
  refusal.index = m.index;
  refusal.reject = true;
  refusal.hint = hint;
  refusal.logTerm = log.term(hint) ?? 0;
}

function followSnapshot(raft: Raft, m: Message): void {
  const { snapshot } = m;
  if (snapshot === undefined) return;
  const { log } = raft;
  const { voters, learners } = snapshot.membership;
  const known = voters.includes(raft.id) || learners.includes(raft.id);
  if (snapshot.index <= log.committed || !known) {
    raft.send("append answer", m.from).index = log.committed;
    return;
  }
  if (log.matches(snapshot.index, snapshot.term)) {
    log.commitTo(snapshot.index);
    raft.send("append answer", m.from).index = log.committed;
    return;
  }
  log.restore(snapshot.index, snapshot.term);
  log.handed = snapshot.index;
  raft.snapshot = snapshot;
  raft.useConf(snapshot.membership);
  raft.send("append answer", m.from).index = log.last_index;
}
