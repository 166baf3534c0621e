import { allMachines, type Lab, machineOf } from "../../../lab/folder.ts";
import { passing, runIn, seatName } from "../../../lab/run.ts";
import { until } from "../../../src/machine/clock.ts";
import { apiUrl } from "../../../src/render/kubernetes/names.ts";

const ready_ms_max = 300_000;
const call_ms = 30_000;
/** A call starts a program, and the machines that are waited for share the processors with it. */
const again_ms = 1_000;

export const serverOf = (lab: Lab, name: string): string =>
  apiUrl(machineOf(lab, name).machine.addresses[0] ?? "");

/**
 * Each machine's own API server says that it is ready: so its etcd is one of a cluster with a leader, and the kubelet beside it runs. A
 * node that the API has as Ready may have been so before a reboot. As whom the seat speaks: kubectl asks who has no credentials for a name.
 */
export async function serversReady(lab: Lab): Promise<void> {
  await Promise.all(
    allMachines(lab).map(({ machine: { name } }) =>
      until(`the API server of ${name} is ready`, () => isReady(lab, name), {
        deadline_ms: ready_ms_max,
        every_ms: again_ms,
      }),
    ),
  );
}

const isReady = (lab: Lab, name: string): Promise<boolean> =>
  passing(async () => {
    const words = [`--server=${serverOf(lab, name)}`, "get", "--raw=/readyz", "--request-timeout=5s"];
    const { status } = await runIn(lab, seatName, ["kubectl", ...words], {
      accept: "any",
      deadline_ms: call_ms,
    });
    return status === 0;
  });
