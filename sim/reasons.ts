import type { Verdict } from "../src/decide/decide.ts";
import type { Deed } from "../src/decide/decision.ts";
import { isFullVoter, isNewer, isVoter, rank } from "../src/decide/lineage.ts";
import { membershipOf, saidBy } from "./agents/facts.ts";
import type { Node } from "./agents/node.ts";
import { witnessOf } from "./agents/witness.ts";
import {
  answers,
  canRun,
  holdingOf,
  isFit,
  someoneCould,
  tagsHeardBy,
  tagsThere,
  type Truth,
} from "./truth.ts";

/** Is what the rule's sentence says so? `me` is the machine that says it. */
type Reason = (truth: Truth, me: number) => boolean;

const mine = (truth: Truth, me: number) => holdingOf(truth, me);
const theirs = (truth: Truth, me: number) => holdingOf(truth, 1 - me);
const order = (truth: Truth, me: number) => rank(mine(truth, me).lineage, theirs(truth, me).lineage);
const witness = ({ site }: Truth, me: number) => {
  const node = site.nodes[me];
  return node === undefined ? site.witness : witnessOf(node);
};
const isMember = ({ world }: Truth, me: number): boolean => world.corosync.view(me).members.includes(1 - me);

const isTagNewer: Reason = (truth, me) =>
  tagsHeardBy(truth, me).some((tag) => isNewer(tag, mine(truth, me).lineage));

const areTagsUnread: Reason = (truth, me) =>
  tagsThere(truth).some(({ kind }) => kind !== "lineage") || [0, 1].some((id) => !answers(truth, me, id));

/** Both machines have the same etcd here, for ever: whoever says this says what can't be so. */
export const oneEtcd: ReadonlySet<string> = new Set([
  "R-OLD-ETCD",
  "R-OLD-ETCD-ALONE",
  "R-OLD-ETCD-JOIN",
  "R-NEW-ETCD-JOIN",
]);

/** For each rule that calls a person: what must be so in the world. One without a line here is a violation when it is met. */
export const reasons: Readonly<Record<string, Reason>> = {
  "R-BOTH-GAVE-UP": (truth) => [0, 1].every((id) => holdingOf(truth, id).surrendered !== undefined),
  "R-NO-DATA-ANYWHERE": (truth) => [0, 1].every((id) => !holdingOf(truth, id).data),
  "R-TIE": (truth, me) =>
    mine(truth, me).data &&
    theirs(truth, me).data &&
    (order(truth, me) === "tie" ||
      (order(truth, me) === "higher" && truth.world.unit(1 - me).running !== undefined)),
  // A full voter, as the sentence says: one that was promoted meanwhile, and is not full yet, is none.
  "R-NO-VOTER": (truth) => [0, 1].every((id) => !isFullVoter(holdingOf(truth, id))),
  "R-NEWEST-UNFIT": (truth, me) => {
    const newest = order(truth, me) === "higher" ? me : 1 - me;
    return order(truth, me) !== "same" && !isFullVoter(holdingOf(truth, newest));
  },
  "R-STUCK": (truth, me) =>
    !isVoter(mine(truth, me)) &&
    (!isFullVoter(theirs(truth, me)) || theirs(truth, me).surrendered !== undefined),
  "R-NO-LINEAGE": (truth, me) => mine(truth, me).data && mine(truth, me).lineage === undefined,
  "R-UNKNOWN": (truth, me) => mine(truth, me).standing === "unknown",
  "R-TAIL-LOST": (truth, me) => mine(truth, me).tailLost,
  "R-NEWER-PEER": (truth, me) => {
    const { lineage } = theirs(truth, me);
    return lineage !== undefined && isNewer(lineage, mine(truth, me).lineage);
  },
  "R-NEWER-TAG": isTagNewer,
  "R-TAGS-UNPROVEN": (truth, me) => witness(truth, me) === "unproven",
  "R-NO-WITNESS": (truth, me) => witness(truth, me) === "off",
  "R-TAGS-UNREAD": areTagsUnread,
  "R-WORD-ALONE": (truth, me) => witness(truth, me) !== "on" || areTagsUnread(truth, me),
  "R-STOP-FAILED": ({ world }, me) => world.pacemaker.controller(me)?.belief(1 - me).unclean === true,
  "R-START-BLOCKED": (truth, me) => !answers(truth, me, 1 - me),
  "R-POWER-UNREAD": (truth, me) => !answers(truth, me, 1 - me),
  "R-ETCD-ALONE": (truth, me) => !canRun(truth, me) && !isMember(truth, me),
  "R-ETCD-LAST-COPY": (truth, me) =>
    !canRun(truth, me) &&
    (!isFit(truth, 1 - me) ||
      theirs(truth, me).surrendered !== undefined ||
      order(truth, me) === "higher" ||
      order(truth, me) === "tie" ||
      mine(truth, me).soleVoter),
};

/** Who says these speaks of what the peer holds, and knows of that what it heard. */
export const ofBothDisks: ReadonlySet<string> = new Set([
  "R-BOTH-GAVE-UP",
  "R-NO-DATA-ANYWHERE",
  "R-TIE",
  "R-NO-VOTER",
  "R-NEWEST-UNFIT",
  "R-STUCK",
  "R-NEWER-PEER",
  "R-ETCD-LAST-COPY",
]);

const nodeOf = ({ site }: Truth, id: number): Node | undefined => site.nodes[id];

/** Of this very loss: in any other membership it is void. */
const isProvenOff = (truth: Truth, me: number): boolean => {
  const node = nodeOf(truth, me);
  const ring = node === undefined ? undefined : membershipOf(node).ring;
  return ring !== undefined && node?.memory.remembered.provenIn === ring;
};
const isToldDown = (truth: Truth, me: number): boolean => {
  const node = nodeOf(truth, me);
  const spoken = node?.memory.spoken;
  return node !== undefined && spoken?.ring === membershipOf(node).ring && spoken.word.peerDown;
};
/** Or its BMC says what was so when it froze: no reading tells the two apart. */
const showsOn = ({ world }: Truth, machine: number): boolean =>
  world.machine(machine).powered || world.bmc(machine).has("stale-power-state");
const showsOff = ({ world }: Truth, machine: number): boolean =>
  !world.machine(machine).powered || world.bmc(machine).blind || world.bmc(machine).has("stale-power-state");
const isFenceAwaited = ({ world }: Truth, me: number): boolean =>
  world.pacemaker.controller(me)?.belief(1 - me).unclean === true;
/** Corosync has two links, and etcd one. */
const isHeard = (truth: Truth, me: number): boolean =>
  isMember(truth, me) && truth.world.links[0].joined(me, 1 - me);
/** One that a disk holds, or that is frozen, leads nobody. */
const leads = ({ world }: Truth, machine: number): boolean => {
  const member = world.unit(machine).running;
  return member?.raft.role === "leader" && !member.paused;
};

/** For each rule that waits, goes to prove something, or stops: what must be so while it is said. One without a line is in `silent`. */
export const claims: Readonly<Record<string, Reason>> = {
  "R-NO-FACTS": (truth, me) => {
    const peer = nodeOf(truth, 1 - me);
    return isMember(truth, me) && (peer === undefined || saidBy(peer, peer.id) === undefined);
  },
  "R-PEER-INTENT": (truth, me) => isMember(truth, me) && theirs(truth, me).takeover?.step === "intent",
  "R-WAIT-AFTER-GIVING-UP": (truth, me) =>
    mine(truth, me).surrendered !== undefined && !(isHeard(truth, me) && leads(truth, 1 - me)),
  "R-FIRST-START-PEER": (truth, me) =>
    truth.site.firstStart && me === 1 && [0, 1].every((id) => !holdingOf(truth, id).data),
  "R-PEER-LEAVES": (truth, me) => isMember(truth, me) && nodeOf(truth, 1 - me)?.memory.leaving === true,
  "R-GAVE-UP": (truth, me) => mine(truth, me).surrendered !== undefined,
  "R-NO-DATA": (truth, me) => !mine(truth, me).data,
  "R-REMOVAL": (truth, me) => mine(truth, me).removalInLog,
  "R-NOT-VOTER": (truth, me) => mine(truth, me).standing !== "voter",
  "R-NOT-FULL": (truth, me) => isVoter(mine(truth, me)) && !isFullVoter(mine(truth, me)),
  "R-PEER-HERE": (truth, me) => isMember(truth, me) && theirs(truth, me).surrendered === undefined,
  "R-WORD-OFF": (truth, me) =>
    isToldDown(truth, me) && !isMember(truth, me) && showsOn(truth, 1 - me) && !isProvenOff(truth, me),
  "R-PEER-ON": (truth, me) => !isMember(truth, me) && showsOn(truth, 1 - me) && !isProvenOff(truth, me),
  "R-PROVE-OFF": (truth, me) =>
    !isMember(truth, me) && showsOff(truth, 1 - me) && isFullVoter(mine(truth, me)),
  "R-NO-FENCE": (truth, me) => !isMember(truth, me) && !isFenceAwaited(truth, me) && !isProvenOff(truth, me),
  "R-NO-PROOF": (truth, me) =>
    !isMember(truth, me) && isFenceAwaited(truth, me) && !isProvenOff(truth, me) && !leads(truth, me),
  "R-ETCD-RUNS": (truth, me) =>
    truth.world.unit(me).running !== undefined || mine(truth, me).surrendered !== undefined,
  "R-TAGS-CLAIM": (truth, me) =>
    tagsThere(truth).some((tag) => tag.kind === "lineage" && isNewer(tag, mine(truth, me).lineage)),
};

/** Decisions whose sentences stand under `claims`. */
export const claiming: ReadonlySet<Deed> = new Set(["wait", "prove-off", "stop-and-alarm"]);

/** Those that are held against nothing, and why. */
export const silent: Readonly<Record<string, string>> = {
  "R-LEAVE-NO-QUORUM":
    "it stands for the moments in which a leave looks for a leader, and says what it saw of its own etcd in one of them",
  "R-LEAVE-UNKNOWN": "it says what Pacemaker does not say, and Pacemaker here always does (left-out.ts)",
};

/** What was acknowledged lies on both disks: which of it counts nobody but a person can say, whoever could serve. */
const twoHistories: ReadonlySet<string> = new Set(["R-TIE"]);

/** What is wrong with what this machine says; undefined: nothing, or it claims nothing. */
export function untrue(truth: Truth, me: number, { decision, rule }: Verdict): string | undefined {
  if (decision.do === "needs-human") return falsehood(truth, me, rule);
  if (!claiming.has(decision.do) || Object.hasOwn(silent, rule)) return undefined;
  const claim = claims[rule];
  if (claim === undefined) return `${rule} claims something, and nothing says when that is true`;
  return claim(truth, me) ? undefined : `${rule} is not true`;
}

/** What is wrong with this call for a person; undefined: it is true, and nobody but a person can help. */
export function falsehood(truth: Truth, me: number, rule: string): string | undefined {
  const reason = reasons[rule];
  if (reason === undefined) return `${rule} calls a person, and nothing says when that is true`;
  if (!reason(truth, me)) return `${rule} is not true`;
  // Once the machine is off that is to be switched off, it acquits no tag any more, as it does while it is here.
  const isAccused = rule === "R-STOP-FAILED" && isTagNewer(truth, me);
  if (!twoHistories.has(rule) && !isAccused && someoneCould(truth))
    return `${rule} calls a person, though a machine that is there could serve`;
  return undefined;
}
