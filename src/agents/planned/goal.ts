import { valueOf } from "../status/report.ts";
import { callsSomebody } from "../status/said.ts";
import type { MachineStatus, Status } from "../status/status.ts";

const find = ({ machines }: Status, name: string): MachineStatus | undefined =>
  machines.find((each) => each.name === name);

export const isStandby = (status: Status, name: string): boolean =>
  valueOf(find(status, name)?.pacemaker) === "standby";

/** 1+1, both answer, and Pacemaker counts on both. */
export const isWhole = ({ whole, serves, machines }: Status): boolean =>
  whole === "1+1" &&
  serves.length === 2 &&
  machines.every(({ pacemaker }) => (valueOf(pacemaker) ?? "online") === "online");

/** A machine that was on standby is back when Pacemaker has it so again. */
export const isBack = (status: Status, name: string, wasStandby: boolean): boolean =>
  wasStandby
    ? isStandby(status, name) && valueOf(find(status, name)?.corosync) === "member"
    : isWhole(status);

/** On standby, and nothing runs there any more. */
export function isAtRest(status: Status, name: string): boolean {
  const machine = find(status, name);
  const idle = machine?.runs === null || machine?.runs.length === 0;
  return isStandby(status, name) && idle && valueOf(machine?.etcd)?.role === "down";
}

/** What keeps it from coming, where only a person can end that: to wait longer is in vain until somebody does. */
export function calls(status: Status, name: string): string | undefined {
  const saying = valueOf(find(status, name)?.says);
  return saying && callsSomebody.has(saying.do) && !isStandby(status, name) ? saying.sentence : undefined;
}

/** It does not take part: on standby it would be so when it comes. */
export function isAway(status: Status, name: string): boolean {
  const machine = find(status, name);
  return valueOf(machine?.corosync) === "not a member" || valueOf(machine?.pacemaker) === "offline";
}

export interface Surprise {
  readonly what: string;
  readonly fix: string;
}
const explained = "`duet explain` shows what happened";

/** What went otherwise than planned since then: a fence, or a takeover. `serves`: who has to serve now, where somebody did before. */
export function surprise(before: Status, after: Status, serves?: string): Surprise | undefined {
  if (serves !== undefined && before.serves.includes(serves) && !after.serves.includes(serves))
    return {
      what: `${serves} does not serve without it`,
      fix: "it could not leave etcd's cluster before it stopped, and both serve again when it is back: `duet unstandby` it, then see with `duet explain` why",
    };
  const fence = valueOf(after.lastFence);
  const was = valueOf(before.lastFence);
  if (fence !== undefined && fence !== null && was !== undefined && fence.at_ms !== was?.at_ms)
    return { what: `${fence.by} has fenced ${fence.target} meanwhile`, fix: explained };
  const [from, to] = [before.lineage?.epoch, after.lineage?.epoch];
  return from !== undefined && to !== undefined && from !== to
    ? { what: `the epoch has changed from ${from} to ${to} meanwhile: somebody took over`, fix: explained }
    : undefined;
}
