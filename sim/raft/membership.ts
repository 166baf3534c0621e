import { EtcdPanic } from "./log.ts";
import type { ConfChange, Membership } from "./types.ts";

/** Why etcd voids a change at the moment of applying it; nothing where it holds. */
export function invalid(membership: Membership, change: ConfChange): string | undefined {
  const { member } = change;
  if (membership.removed.includes(member)) return "ID removed";
  const voter = membership.voters.includes(member);
  const learner = membership.learners.includes(member);
  switch (change.kind) {
    case "promote":
      if (!voter && !learner) return "ID not found";
      return learner ? undefined : "can only promote a learner member";
    case "remove":
      return voter || learner ? undefined : "ID not found";
    case "add voter":
    case "add learner":
      if (voter || learner) return "ID exists";
      if (
        [...membership.voters, ...membership.learners].some(
          (id) => membership.machines[id] === change.machine,
        )
      )
        return "peer URL exists";
      return change.kind === "add learner" && membership.learners.length > 0
        ? "too many learners"
        : undefined;
  }
}

/** The change is applied, or voided: then everything stays as it is. */
export function changed(membership: Membership, change: ConfChange): Membership {
  if (invalid(membership, change) !== undefined) return membership;
  const { member } = change;
  const without = (ids: readonly number[]) => ids.filter((id) => id !== member);
  const voters = without(membership.voters);
  const learners = without(membership.learners);
  switch (change.kind) {
    case "add voter":
      return placed({ ...membership, voters: sorted([...voters, member]) }, change);
    case "promote":
      return { ...membership, voters: sorted([...voters, member]), learners };
    case "add learner":
      return placed({ ...membership, learners: sorted([...learners, member]) }, change);
    case "remove":
      // etcd ends here at every start, once such an entry is committed in its log.
      if (voters.length === 0) throw new EtcdPanic("removed all voters");
      return { ...membership, voters, learners, removed: [...membership.removed, member] };
  }
}

const placed = (membership: Membership, { member, machine }: ConfChange): Membership => ({
  ...membership,
  machines: { ...membership.machines, [member]: machine },
});

const sorted = (ids: readonly number[]): readonly number[] => ids.toSorted((a, b) => a - b);

export const published = (membership: Membership, member: number): Membership =>
  membership.started.includes(member)
    ? membership
    : { ...membership, started: [...membership.started, member] };

export const isMember = (membership: Membership, id: number): boolean =>
  membership.voters.includes(id) || membership.learners.includes(id);
