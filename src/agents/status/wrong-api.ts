import { apiResource } from "../../base/paths.ts";
import { onlyEtcdFails } from "../../machine/kube-api.ts";
import { services } from "../../render/services.ts";
import { quorateSight } from "./api.ts";
import { valueOf } from "./report.ts";
import type { ApiStatus, MachineStatus, Views, Wrong } from "./status.ts";
import { type Judged, wrong } from "./wrong-line.ts";

/** What keeps users from the API, where nothing explains it that is told already. Nothing at a site without API servers of duet's. */
export function apiWrongs(status: Judged, views: Views): readonly Wrong[] {
  if (status.api === null) return [];
  return [
    ...addressWrong(status.api, status, views),
    ...status.api.answers.flatMap((each) => serverWrong(each, status, views)),
  ];
}

const isHere = ({ corosync, pacemaker }: MachineStatus): boolean =>
  valueOf(corosync) === "member" && valueOf(pacemaker) === "online";

/** Or nobody that was asked says otherwise. */
const isSetUp = (name: string, { reports }: Views): boolean =>
  (valueOf(reports[name])?.setup.state ?? "done") === "done";

function addressWrong({ address, on }: ApiStatus, status: Judged, views: Views): readonly Wrong[] {
  if (address === null || on === null || !on.known || on.value !== null) return [];
  const { machines, maintenance, serves, site } = status;
  // Pacemaker may start nothing, or has nowhere to: what hinders it is told.
  if (maintenance || serves.length === 0 || !machines.some(isHere)) return [];
  if (!views.machines.every((name) => isSetUp(name, views))) return [];
  const failures = quorateSight(views)?.cluster.failures ?? [];
  if (failures.some(({ resource }) => resource === apiResource)) return [];
  return [
    wrong(
      "DUET-E-STATUS-API-ADDRESS",
      site,
      `the API's address ${address} is on no machine`,
      `while it moves this lasts a second; if it stays, \`crm_resource --why --resource ${apiResource}\` on ${serves[0] ?? ""} says what keeps it`,
    ),
  ];
}

/** From the kubelet's start on: images are there, and an API server that ended for want of etcd is started again within 20 s. */
const starting_ms = 120_000;

function serverWrong(
  { name, ready }: ApiStatus["answers"][number],
  { machines }: Judged,
  views: Views,
): readonly Wrong[] {
  const said = valueOf(ready);
  const machine = machines.find((each) => each.name === name);
  if (said === undefined || said.ready || machine === undefined) return [];
  // Nothing is expected of a machine that is away, inert, on standby or not set up, and no API server is ready without its etcd.
  if (!isHere(machine) || !isSetUp(name, views) || valueOf(machine.etcd)?.serves !== true) return [];
  const seen = quorateSight(views);
  const { runs, failures = [], kubelets_ms = {} } = seen?.cluster ?? {};
  const down = runs === undefined ? [] : services.filter((each) => runs[name]?.includes(each) !== true);
  if (failures.some(({ node, resource }) => node === name && down.some((each) => each === resource)))
    return [];
  if (down.length > 0)
    return [
      wrong(
        "DUET-E-STATUS-API-STARTING",
        name,
        `its API server is not ready: ${down.join(" and ")} ${down.length > 1 ? "do" : "does"} not run there yet`,
        `Pacemaker starts what is missing by itself; if this stays, \`crm_resource --why --resource ${down[0] ?? ""}\` on ${name} says what it waits for`,
      ),
    ];
  const ago_ms = (seen?.at_ms ?? 0) - (kubelets_ms[name] ?? Number.NEGATIVE_INFINITY);
  // A little before it, where the clocks differ.
  if (Math.abs(ago_ms) < starting_ms)
    return [
      wrong(
        "DUET-E-STATUS-API-STARTING",
        name,
        `its API server is not ready yet: its kubelet was started ${Math.max(0, Math.round(ago_ms / 1000))} s ago`,
        "wait: it goes on by itself",
      ),
    ];
  return [notReady(name, said, views)];
}

interface Unready {
  readonly why: string;
  readonly checks: readonly string[];
}

function notReady(name: string, { why, checks }: Unready, views: Views): Wrong {
  const line = (what: string, fix: string) => wrong("DUET-E-STATUS-API-NOT-READY", name, what, fix);
  if (valueOf(views.reports[name]) === undefined)
    return line(
      "its API server is not ready, by its own word",
      `for some seconds after its etcd was away this is ordinary; if it stays, \`duet status\` on ${name} says why`,
    );
  const look = `\`crictl ps -a\` on ${name} shows whether it runs, \`journalctl -u kubelet\` why it is not started, and /var/log/pods/kube-system_kube-apiserver-* why it ended`;
  return onlyEtcdFails(checks)
    ? line(
        "its API server is not ready: it does not reach its etcd, which answers others",
        `for some seconds after etcd was away this is ordinary; if it stays, ${look}`,
      )
    : line(
        `its API server is not ready: ${why}`,
        `one that ended is started again within 20 s; if it stays, ${look}`,
      );
}
