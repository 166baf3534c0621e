import type { Problem } from "../../base/problem.ts";
import { valueOf } from "../status/report.ts";
import type { MachineStatus, Status } from "../status/status.ts";

/**
 * May this machine stop serving now? Only where the other is a full voter that serves: it goes on alone. `--force` overrules that,
 * and nothing overrules maintenance: in it Pacemaker stops nothing, so the machine would go down without a leave.
 */
export function refusal(
  status: Status,
  name: string,
  deed: "reboot" | "standby",
  force: boolean,
): Problem | undefined {
  if (status.maintenance) return inMaintenance(name);
  const other = status.machines.find((each) => each.name !== name);
  const machine = status.machines.find((each) => each.name === name);
  const why = other === undefined ? "there is no other machine" : whyNot(other);
  // On standby already: it serves nothing that it could take away.
  const isIdle = deed === "standby" && valueOf(machine?.pacemaker) === "standby";
  if (why === undefined || force || isIdle) return undefined;
  const until = deed === "reboot" ? `until ${name} is back` : `until \`duet unstandby ${name}\``;
  return {
    code: "DUET-E-PLANNED-DEGRADED",
    where: name,
    what: `${why}: with --force nobody serves ${until}, and nothing that was acknowledged is lost`,
    fix: "wait for 1+1: `duet status --watch`",
  };
}

export const inMaintenance = (name: string): Problem => ({
  code: "DUET-E-PLANNED-MAINTENANCE",
  where: name,
  what: "maintenance is on: Pacemaker starts and stops nothing, so a machine could neither leave in order nor join",
  fix: "first `duet maintenance off`",
});

/** Why this machine would not serve alone; undefined: it would. */
export function whyNot({ name, etcd, full, pacemaker }: MachineStatus): string | undefined {
  if (!etcd.known) return `it can't be told whether ${name} serves (${etcd.why})`;
  const { role, led, serves } = etcd.value;
  if (role === "down") return `etcd on ${name} does not run`;
  if (role === "learner") return `${name} is a learner, and catches up`;
  if (!serves)
    return led
      ? `etcd on ${name} does not answer a read that needs its quorum`
      : `etcd on ${name} has no leader`;
  if (!full.known) return `it can't be told whether ${name} is full (${full.why})`;
  if (!full.value) return `${name} votes, and is not known yet to hold everything`;
  const manager = valueOf(pacemaker);
  return manager === undefined || manager === "online" ? undefined : `${name} is ${manager} for Pacemaker`;
}
