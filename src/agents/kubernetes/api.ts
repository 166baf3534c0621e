import * as v from "valibot";
import { DuetError, fail } from "../../base/problem.ts";
import { until } from "../../machine/clock.ts";
import {
  applyObject,
  getObject,
  type KubeApi,
  type KubeResult,
  mergeObject,
  readyz,
} from "../../machine/kube-api.ts";
import { type Identity, issue, makeKey } from "../../machine/x509.ts";
import { type KubernetesSite, localApi } from "../../render/kubernetes/names.ts";
import type { KubernetesObject } from "../../render/kubernetes/objects.ts";
import { days } from "../authority.ts";

type Say = (detail: string) => void;

const call_ms = 10_000;
/** Images may have to be fetched first, over whatever wire the site has. */
const serve_ms = 15 * 60_000;
const objects_ms = 3 * 60_000;
const ready_ms = 10 * 60_000;

/**
 * This machine's own API server, spoken to as one who may do everything: RBAC has no word on duet yet. The key is made for this and is
 * never written anywhere.
 */
export function masterApi(site: KubernetesSite, authority: Identity, now: Date): KubeApi {
  const key = makeKey();
  const leaf = {
    commonName: "duet:setup",
    organization: "system:masters",
    usages: ["client"],
    hosts: [],
  } as const;
  return {
    url: localApi(site),
    tls: { ca: authority.certificate, cert: issue(authority, leaf, key, days(1, now)), key: key.reveal() },
  };
}

export interface Waits {
  readonly deadline_ms?: number;
  readonly every_ms?: number;
}

/** Until it says that it is ready: with etcd, and with everything that Kubernetes itself puts there at a first start. */
export const served = (api: KubeApi, say: Say, waits: Waits = {}): Promise<void> =>
  wait("the Kubernetes API", say, { deadline_ms: serve_ms, ...waits }, async () => {
    const answer = await readyz(api, call_ms);
    return answer.ok ? undefined : answer.failure.said;
  });

/** Each can be repeated: what is so already stays as it is. */
export async function makeObjects(
  api: KubeApi,
  objects: readonly KubernetesObject[],
  say: Say,
  waits: Waits = {},
): Promise<void> {
  for (const { path, body } of objects)
    await wait(path, say, { deadline_ms: objects_ms, ...waits }, async () => {
      const answer = await applyObject(api, path, body, call_ms);
      return answer.ok ? undefined : answer.failure.said;
    });
  say(`${objects.length} objects`);
}

const nodeShape = v.object({
  metadata: v.object({ labels: v.optional(v.record(v.string(), v.string()), {}) }),
  status: v.object({
    conditions: v.optional(v.array(v.object({ type: v.string(), status: v.string() })), []),
  }),
});

const nodePath = (name: string): string => `/api/v1/nodes/${name}`;
const role = "node-role.kubernetes.io/control-plane";

/** Both kubelets have told that pods may come; and a person sees what the two are. */
export async function nodesReady(
  api: KubeApi,
  names: readonly string[],
  say: Say,
  waits: Waits = {},
): Promise<void> {
  for (const name of names)
    await wait(name, say, { deadline_ms: ready_ms, ...waits }, async () => {
      const answer: KubeResult<v.InferOutput<typeof nodeShape>> = await getObject(
        api,
        nodePath(name),
        nodeShape,
        call_ms,
      );
      if (!answer.ok)
        return answer.failure.status === 404 ? `${name} is not known to the API yet` : answer.failure.said;
      const { metadata, status } = answer.value;
      if (!status.conditions.some((each) => each.type === "Ready" && each.status === "True"))
        return `${name} is not Ready yet`;
      if (role in metadata.labels) return undefined;
      const told = await mergeObject(api, nodePath(name), { metadata: { labels: { [role]: "" } } }, call_ms);
      return told.ok ? undefined : told.failure.said;
    });
  say(`${names.join(" and ")} Ready`);
}

/** `look` gives what is still wrong. The last of it is in the error. */
async function wait(
  where: string,
  say: Say,
  { deadline_ms, every_ms = 500 }: { readonly deadline_ms: number; readonly every_ms?: number },
  look: () => Promise<string | undefined>,
): Promise<void> {
  let wrong: string | undefined = "";
  try {
    await until(
      where,
      async () => {
        wrong = await look();
        say(wrong ?? "");
        return wrong === undefined;
      },
      { deadline_ms, every_ms },
    );
  } catch (error) {
    if (!(error instanceof DuetError)) throw error;
    fail(
      "DUET-E-KUBERNETES-API",
      where,
      `not within ${Math.round(deadline_ms / 1000)} s; last: ${wrong}`,
      "see `journalctl -u kubelet -u crio` and `crictl ps -a` there; setup goes on by itself when it is mended",
    );
  }
}
