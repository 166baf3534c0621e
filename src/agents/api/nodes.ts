import * as v from "valibot";
import { getObject, type KubeApi, type KubeResult, mergeObject } from "../../machine/kube-api.ts";
import type { TaintDoors } from "./keep-taints.ts";

/** What the API takes etcd takes, and that may take a while. */
const call_ms = 3_000;

const shape = v.object({
  metadata: v.object({ resourceVersion: v.string() }),
  spec: v.object({
    taints: v.optional(
      // Whatever else is in one goes back as it came.
      v.array(v.looseObject({ key: v.string(), value: v.exactOptional(v.string()), effect: v.string() })),
      [],
    ),
  }),
});

const pathOf = (name: string): string => `/api/v1/nodes/${name}`;
const none: KubeResult<never> = {
  ok: false,
  failure: { kind: "unreachable", said: "this machine has no credentials for its API yet" },
};

/** The machines as Kubernetes knows them. `connect` is asked each time: certificates are renewed while this runs. */
export const nodesOf = (
  connect: () => Promise<KubeApi | undefined>,
): Pick<TaintDoors, "node" | "change"> => ({
  node: async (name) => {
    const api = await connect();
    if (api === undefined) return none;
    const found = await getObject(api, pathOf(name), shape, call_ms);
    if (!found.ok) return found.failure.status === 404 ? { ok: true, value: undefined } : found;
    const { metadata, spec } = found.value;
    return { ok: true, value: { taints: spec.taints, resourceVersion: metadata.resourceVersion } };
  },
  change: async (name, resourceVersion, taints) => {
    const api = await connect();
    if (api === undefined) return none;
    // The list is one value to Kubernetes: with the version a change that somebody else made in the meantime is never undone.
    return await mergeObject(api, pathOf(name), { metadata: { resourceVersion }, spec: { taints } }, call_ms);
  },
});
