import {
  done,
  type Door,
  type Failure,
  failed,
  type Member,
  type MemberEffects,
  type Outcome,
  success,
} from "../../act/effects.ts";
import { sleep } from "../../machine/clock.ts";
import * as etcd from "../../machine/etcd/client.ts";
import { timer } from "./outcome.ts";

/** One of the two machines, as etcd's members know it. */
export interface EtcdPlace {
  /** Found when it is needed: the way to a machine that is gone is looked for in vain, for half a second. */
  readonly endpoint: () => Promise<etcd.Endpoint>;
  /** Under which its member is known to the others, one for each link: `https://address:port`. */
  readonly peerUrls: readonly string[];
}

export interface Places {
  readonly self: EtcdPlace;
  /** The same machine, while its etcd is closed to clients. */
  readonly inside: EtcdPlace;
  readonly peer: EtcdPlace;
}

type Side = "self" | "peer";

/** Nobody else's: what stands there is never read. */
const marker_key = "duet/marker";

/**
 * etcd makes a member's id of its address and the time in whole seconds. One that is removed and added within a second gets the
 * id that was removed: etcd voids that, and a log with such a change in it can't be judged any more.
 */
const new_id_ms = 1_100;

export function memberEffects(places: Places): Omit<MemberEffects, "elect"> {
  return {
    list: (side, deadline_ms) => listAt(places, side, timer(deadline_ms)),
    addLearner: (deadline_ms) => addLearner(places, timer(deadline_ms)),
    promote: (deadline_ms) => promote(places, timer(deadline_ms)),
    remove: async (id, through, deadline_ms) => {
      const left_ms = timer(deadline_ms);
      const seen = await listAt(places, through, left_ms);
      if (!seen.ok) return seen;
      if (seen.value.every((each) => each.id !== id)) return done;
      return await removeIfThere(await places[through].endpoint(), id, left_ms());
    },
    moveLeader: (deadline_ms) => moveLeader(places, timer(deadline_ms)),
    writeMarker: async (deadline_ms) => {
      // A deletion, of a key that is not there: a put would be refused while etcd's NOSPACE alarm is on.
      const answer = await etcd.deleteKey(await places.self.endpoint(), marker_key, deadline_ms);
      return answer.ok ? done : told(answer);
    },
  };
}

async function addLearner(places: Places, left_ms: () => number): Promise<Outcome> {
  const endpoint = await places.peer.endpoint();
  const seen = await listAt(places, "peer", left_ms);
  if (!seen.ok) return seen;
  const old = seen.value.filter(({ machine }) => machine === "self");
  if (old.length > 0) {
    if (left_ms() <= new_id_ms) return failed("deadline", "too little time is left to be added anew");
    // Before the removal: who is cut off after it adds at once the next time.
    await sleep(new_id_ms);
  }
  for (const { id } of old) {
    const gone = await removeIfThere(endpoint, id, left_ms());
    if (!gone.ok) return gone;
  }
  return told(await etcd.addLearner(endpoint, places.self.peerUrls, left_ms()));
}

async function promote(places: Places, left_ms: () => number): Promise<Outcome> {
  const [own, seen] = await Promise.all([
    places.self.endpoint().then((own) => etcd.status(own, left_ms())),
    listAt(places, "peer", left_ms),
  ]);
  if (!own.ok) return told(own);
  if (!seen.ok) return seen;
  // Whom the list shows here must be who runs here: a voter that does not run would take the leader its quorum.
  const mine = seen.value.find(({ id }) => id === own.value.memberId);
  if (mine?.machine !== "self")
    return failed("refused", `the peer does not list member ${own.value.memberId}, which runs here`);
  // A change that is proposed twice is void the second time and answered with an error, but a step may be repeated.
  if (mine.role === "voter") return done;
  return told(await etcd.promote(await places.peer.endpoint(), mine.id, left_ms()));
}

async function moveLeader(places: Places, left_ms: () => number): Promise<Outcome> {
  const endpoint = await places.self.endpoint();
  const seen = await etcd.memberList(endpoint, left_ms());
  if (!seen.ok) return told(seen);
  const heir = seen.value.find((each) => !each.isLearner && whose(each, places) === "peer");
  if (heir === undefined) return failed("refused", "there is nobody to lead: the peer is no voter");
  const now = await etcd.status(endpoint, left_ms());
  if (!now.ok) return told(now);
  if (now.value.leader === heir.id) return done;
  const moved = await etcd.moveLeader(endpoint, heir.id, left_ms());
  if (moved.ok) return done;
  // It may lead by now all the same: raft elects whom it wants.
  const after = await etcd.status(endpoint, left_ms());
  return after.ok && after.value.leader === heir.id ? done : told(moved);
}

/**
 * The members as the leader has applied them. A linearizable read at another member is not that: it waits for what the leader
 * has committed, and a leader changes its configuration only when it applies the change. Until then it acknowledges alone. So
 * the member that is asked must answer, and then its leader is asked too.
 */
async function listAt(
  places: Places,
  side: Side | Door,
  left_ms: () => number,
): Promise<Outcome<readonly Member[]>> {
  const endpoint = await places[side].endpoint();
  const [seen, status] = await Promise.all([
    etcd.memberList(endpoint, left_ms()),
    etcd.status(endpoint, left_ms()),
  ]);
  if (!seen.ok) return told(seen);
  if (!status.ok) return told(status);
  const { leader, memberId } = status.value;
  if (leader === undefined) return failed("refused", "no leader is known there");
  if (leader === memberId) return success(judged(seen.value, places, leader));

  const first = seen.value.find(({ id }) => id === leader);
  const leads = first && whose(first, places);
  // It was removed and goes on for a moment, or it is at a third address: then nobody can tell what it has applied.
  if (leads === undefined) return failed("refused", `the leader ${leader} is a member of neither machine`);
  if (leads === side)
    return failed("refused", `the leader ${leader} has this address, and another member answers there`);
  const theirs = await etcd.memberList(await places[leads].endpoint(), left_ms());
  return theirs.ok ? success(judged(theirs.value, places, leader)) : told(theirs);
}

const judged = (members: readonly etcd.ListedMember[], places: Places, leader: string): readonly Member[] =>
  members.map((member) => ({
    id: member.id,
    role: member.isLearner ? "learner" : "voter",
    machine: whose(member, places),
    leader: member.id === leader,
  }));

/**
 * By the whole address and port, never by a part of it or by a name: 10.0.0.1 is not 10.0.0.10. A member that has addresses of
 * both machines, or any address of a third, is nobody's.
 */
export function whose(
  { peerUrls }: Pick<etcd.ListedMember, "peerUrls">,
  places: Pick<Places, Side>,
): Side | undefined {
  const [mine, theirs] = [hostsOf(places.self), hostsOf(places.peer)];
  const hosts = peerUrls.map(hostOf);
  const among = (known: ReadonlySet<string | undefined>) => hosts.every((host) => known.has(host));
  const shared = [...mine].some((host) => theirs.has(host));
  if (hosts.length === 0 || hosts.includes(undefined) || shared) return undefined;
  if (among(mine)) return "self";
  return among(theirs) ? "peer" : undefined;
}

const hostsOf = ({ peerUrls }: EtcdPlace): ReadonlySet<string | undefined> => new Set(peerUrls.map(hostOf));

/** In the one form that a URL gives an address; `http` and `https` alike, since both are of the same machine. */
function hostOf(url: string): string | undefined {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) return undefined;
  const { hostname, port, protocol } = new URL(url);
  return `${hostname} ${port === "" ? protocol : port}`;
}

async function removeIfThere(at: etcd.Endpoint, id: string, deadline_ms: number): Promise<Outcome> {
  const gone = await etcd.remove(at, id, deadline_ms);
  return !gone.ok && gone.failure.reason === "member-not-found" ? done : told(gone);
}

const kinds: Readonly<Record<etcd.EtcdFailure["kind"], Failure["kind"]>> = {
  unreachable: "unreachable",
  deadline: "deadline",
  // It may have happened: whoever asked looks again, as after a deadline.
  unsure: "deadline",
  refused: "refused",
  answer: "failed",
};

function told(result: etcd.Result<unknown> & { readonly ok: false }): {
  readonly ok: false;
  readonly failure: Failure;
};
function told(result: etcd.Result<void>): Outcome;
function told(result: etcd.Result<unknown>): Outcome {
  if (result.ok) return done;
  const { kind, said } = result.failure;
  return failed(kinds[kind], `etcd: ${said}`);
}
