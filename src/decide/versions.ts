import { compareVersions, minorOf } from "../base/version.ts";
import type { Facts, Versions } from "./facts.ts";

/**
 * Is the one older than the other, by the two numbers that data depends on? What can't be told is not called older: an etcd that
 * runs in a container says nothing about itself, and refused for that, such a site could never start. Then etcd's own refusal is
 * left, which comes after it has written to its database and does no harm to it (docs/decisions/etcd-versions.md).
 */
function isOlder(one: string | undefined, other: string | undefined): boolean {
  const [a, b] = [minorOf(one ?? ""), minorOf(other ?? "")];
  return a !== undefined && b !== undefined && (compareVersions(a, b) ?? 0) < 0;
}

const versionsOf = ({ etcd }: Facts): Partial<Versions> => etcd.versions ?? {};

/** The etcd that would start is older than the one that this machine's data is of. */
export const isOlderThanData = (facts: Facts): boolean => {
  const { program, data } = versionsOf(facts);
  return facts.self.data && isOlder(program, data);
};

/** The cluster that the peer serves does not let it in. */
export const isOlderThanCluster = (facts: Facts): boolean => {
  const { program, cluster } = versionsOf(facts);
  return isOlder(program, cluster);
};

/** Before this one a member of 3.5 hands over, with its database, a list of members that only it does not go by. */
export const ready_for_36 = "3.5.26";

/** With the peer's database this etcd would take a voter for a learner, or a member that is gone for one that is there. */
export const isMisledByPeer = (facts: Facts): boolean => {
  const { program, peer } = versionsOf(facts);
  if (program === undefined || peer === undefined || isOlder(program, "3.6")) return false;
  return minorOf(program) !== undefined && (compareVersions(peer, ready_for_36) ?? 0) < 0;
};
