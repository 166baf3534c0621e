import { deploy, wholePods } from "../../../lab/kubernetes/deployment.ts";
import { waitParts } from "../../../lab/kubernetes/ready.ts";
import { outOfServiceNow } from "../../../lab/kubernetes/taints.ts";
import { until } from "../../../src/machine/clock.ts";
import { type Place, untilWhole } from "../failover/place.ts";
import { serversReady } from "./ready.ts";

export const pods = 4;
export const pods_ms_max = 180_000;
const taint_ms_max = 60_000;

/** Two full voters with an API server each, and both nodes Ready and open for pods: nothing of an earlier loss is left. */
export async function awake({ lab, etcds }: Pick<Place, "lab" | "etcds">): Promise<void> {
  await untilWhole(etcds);
  await serversReady(lab);
  await waitParts(lab);
  await until("no machine is marked as out of service", async () => isEmpty(await outOfServiceNow(lab)), {
    deadline_ms: taint_ms_max,
    every_ms: 500,
  });
}

const isEmpty = (marked: readonly string[] | undefined): boolean => marked?.length === 0;

/** The same with a Deployment, whose pods can be entered. */
export async function whole(place: Pick<Place, "lab" | "etcds">): Promise<void> {
  const { lab } = place;
  await awake(place);
  await until("a deployment is made", () => deploy(lab, pods), { deadline_ms: pods_ms_max });
  await until("its pods are ready", () => wholePods(lab, pods), { deadline_ms: pods_ms_max, every_ms: 500 });
}
