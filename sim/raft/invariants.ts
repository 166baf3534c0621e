import type { Kernel } from "../kernel/kernel.ts";
import type { EtcdObserver } from "./env.ts";
import type { Member } from "./member.ts";
import type { Entry } from "./types.ts";

/** Of one cluster: data with raised revisions is of another, with terms and indexes of its own. */
class Past {
  readonly leaders = new Map<number, number>();
  /** What was committed at each index, as first seen. */
  readonly committed: (Fixed | undefined)[] = [];
  readonly applied: (Entry | undefined)[] = [];
}

interface Fixed {
  readonly term: number;
  readonly request: number;
  readonly value: number;
}

/**
 * What raft promises, watched from outside: one leader per term, the same log wherever index and term agree, every later leader
 * holds what was committed, nobody applies something else at the same index. Force-new-cluster can break all but the first.
 */
export function watchRaft(kernel: Kernel): EtcdObserver & { forget(): void } {
  const pasts = new Map<number, Past>();
  const pastOf = ({ data }: Member): Past => {
    const found = pasts.get(data.cluster) ?? new Past();
    pasts.set(data.cluster, found);
    return found;
  };

  const seen = (member: Member, last: number) => {
    const { log } = member.raft;
    const { committed } = pastOf(member);
    for (let index = last; index > log.base_index; index -= 1) {
      const entry = log.entry(index);
      if (entry === undefined) break;
      const before = committed[index];
      if (before === undefined) committed[index] = entry;
      else if (before.term === entry.term) break;
      else
        kernel.fail(
          "log matching",
          `index ${index} was committed with term ${before.term}, member ${member.id} commits term ${entry.term}`,
        );
    }
  };

  return {
    /** An admin accepted a loss: what was committed before it may be gone. */
    forget() {
      pasts.clear();
    },
    role(member, role) {
      if (role !== "leader") return;
      const { raft } = member;
      const { leaders, committed } = pastOf(member);
      const other = leaders.get(raft.term);
      if (other !== undefined && other !== member.id)
        kernel.fail("election safety", `members ${other} and ${member.id} both lead term ${raft.term}`);
      leaders.set(raft.term, member.id);
      for (let index = raft.log.base_index + 1; index < committed.length; index += 1) {
        const fixed = committed[index];
        if (fixed !== undefined && raft.log.term(index) !== fixed.term)
          kernel.fail(
            "leader completeness",
            `member ${member.id} leads term ${raft.term} without committed index ${index} of term ${fixed.term}`,
          );
      }
    },
    committed: seen,
    applied(member: Member, entry: Entry) {
      const { applied } = pastOf(member);
      const before = applied[entry.index];
      if (before === undefined) applied[entry.index] = entry;
      else if (before.term !== entry.term || before.request !== entry.request || before.value !== entry.value)
        kernel.fail(
          "state machine safety",
          `member ${member.id} applies ${called(entry)} at index ${entry.index}, where another applied ${called(before)}`,
        );
    },
  };
}

const called = ({ kind, value, change, term }: Entry): string =>
  change === undefined
    ? `${kind === "put" ? `write ${value}` : kind} of term ${term}`
    : `“${change.kind}” of member ${change.member} of term ${term}`;
