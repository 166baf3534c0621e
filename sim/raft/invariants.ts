import type { Kernel } from "../kernel/kernel.ts";
import type { EtcdObserver } from "./env.ts";
import type { Member } from "./member.ts";
import type { Entry } from "./types.ts";

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
  const leaders = new Map<number, number>();
  /** What was committed at each index, as first seen. */
  const committed: (Fixed | undefined)[] = [];
  const applied: (Entry | undefined)[] = [];

  const seen = (member: Member, last: number) => {
    const { log } = member.raft;
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
      leaders.clear();
      committed.length = 0;
      applied.length = 0;
    },
    role(member, role) {
      if (role !== "leader") return;
      const { raft } = member;
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
