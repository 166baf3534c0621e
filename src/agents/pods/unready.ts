import * as v from "valibot";
import { now_ms } from "../../machine/clock.ts";
import { getObject, type KubeApi, type KubeResult, mergeEntries } from "../../machine/kube-api.ts";
import { times } from "./order.ts";

const at_once = 10;

const shape = v.object({
  items: v.array(
    v.object({
      metadata: v.object({ namespace: v.string(), name: v.string(), uid: v.string() }),
      status: v.object({
        conditions: v.nullish(v.array(v.object({ type: v.string(), status: v.string() }))),
      }),
    }),
  ),
});
type Pod = v.InferOutput<typeof shape>["items"][number];

const isReady = ({ status: { conditions } }: Pod): boolean =>
  conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;

/**
 * Kubernetes' controller would say it of a machine that it takes for lost, most of a minute later, and until then Services send their users
 * to pods that have ended. Said as the machine's kubelet, which may say it of its own pods alone; and it has stopped, so it does not say
 * otherwise. The next kubelet says how they are then.
 */
export async function markUnready(
  api: KubeApi | undefined,
  machine: string,
  within_ms: number = times.marked_ms,
): Promise<string> {
  if (api === undefined) return "none marked not ready: this machine has no credentials of its kubelet";
  const end_ms = now_ms() + within_ms;
  const left_ms = (): number => Math.max(1, Math.ceil(end_ms - now_ms()));
  const found = await getObject(api, podsOn(machine), shape, left_ms());
  if (!found.ok) return `none marked not ready: ${found.failure.said}`;
  const ready = found.value.items.filter(isReady);
  const results: KubeResult<unknown>[] = [];
  while (results.length < ready.length && now_ms() < end_ms) {
    const next = ready.slice(results.length, results.length + at_once);
    results.push(...(await Promise.all(next.map((pod) => mark(api, pod, left_ms())))));
  }
  const failed = results.find((each) => !each.ok);
  const marked = results.filter(({ ok }) => ok).length;
  return `${marked} of ${ready.length} marked not ready${failed === undefined ? "" : ` (${failed.failure.said})`}`;
}

/** Version 0: as its API server has them in memory. That needs no etcd, and who is on a machine without a kubelet does not change. */
const podsOn = (machine: string): string =>
  `/api/v1/pods?fieldSelector=${encodeURIComponent(`spec.nodeName=${machine}`)}&resourceVersion=0`;

/** With its uid: one that has been made anew meanwhile, under the same name, is not meant. */
const mark = (api: KubeApi, { metadata: { namespace, name, uid } }: Pod, deadline_ms: number) =>
  mergeEntries(
    api,
    `/api/v1/namespaces/${namespace}/pods/${name}/status`,
    {
      metadata: { uid },
      status: {
        conditions: [
          {
            type: "Ready",
            status: "False",
            reason: "MachineGoes",
            message: "its machine goes by plan, and ends its pods",
            lastTransitionTime: new Date().toISOString(),
          },
        ],
      },
    },
    deadline_ms,
  );
