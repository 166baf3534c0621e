import { isFullVoter, isNewer, isVoter, rank } from "../src/decide/lineage.ts";
import { witnessOf } from "./agents/witness.ts";
import { answers, canRun, holdingOf, isFit, someoneCould, tagsThere, type Truth } from "./truth.ts";

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
  "R-NEWER-TAG": (truth, me) =>
    tagsThere(truth).some((tag) => tag.kind === "lineage" && isNewer(tag, mine(truth, me).lineage)),
  "R-TAGS-UNPROVEN": (truth, me) => witness(truth, me) === "unproven",
  "R-NO-WITNESS": ({ site }) => site.witness === "off",
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

/** What was acknowledged lies on both disks: which of it counts nobody but a person can say, whoever could serve. */
const twoHistories: ReadonlySet<string> = new Set(["R-TIE"]);

/** What is wrong with this call for a person; undefined: it is true, and nobody but a person can help. */
export function falsehood(truth: Truth, me: number, rule: string): string | undefined {
  const reason = reasons[rule];
  if (reason === undefined) return `${rule} calls a person, and nothing says when that is true`;
  if (!reason(truth, me)) return `${rule} is not true`;
  if (!twoHistories.has(rule) && someoneCould(truth))
    return `${rule} calls a person, though a machine that is there could serve`;
  return undefined;
}
