/** What etcdctl prints. Ids as it prints them: they are compared, and never counted with. */

export interface Status {
  readonly id: string;
  /** `0`: it knows none. */
  readonly leader: string;
  readonly isLearner: boolean;
  readonly term: number;
}

export interface Member {
  /** In hexadecimal digits, as it is listed. */
  readonly id: string;
  /** Empty until it has started for the first time. */
  readonly name: string;
  readonly isLearner: boolean;
}

/** Of `endpoint status --write-out=fields`; undefined for anything else. */
export function parseStatus(text: string): Status | undefined {
  const field = (title: string) => new RegExp(`^"${title}" : (.*)$`, "m").exec(text)?.[1];
  const [id, leader, isLearner, term] = ["MemberID", "Leader", "IsLearner", "RaftTerm"].map(field);
  if (id === undefined || leader === undefined) return undefined;
  return { id, leader, isLearner: isLearner === "true", term: Number(term) };
}

/** Id, status, name, two lists of addresses, and whether it is a learner. */
const fields = 6;

/** Of `member list`. */
export const parseMembers = (text: string): readonly Member[] =>
  text
    .split("\n")
    .map((line) => line.split(", "))
    .filter((each) => each.length === fields)
    .map(([id = "", , name = "", , , isLearner]) => ({ id, name, isLearner: isLearner === "true" }));
