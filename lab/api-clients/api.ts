import * as v from "valibot";
import { failureOfError, parseJson } from "../../src/machine/etcd/failure.ts";
import { https, wasSent } from "../../src/machine/https.ts";
import { getObject, type KubeApi, type KubeResult } from "../../src/machine/kube-api.ts";
import type { Item, Outcome } from "./history.ts";

/** A call that has no answer by then is given up; the longest that a caller waits. */
export const call_ms_max = 5_000;

const label = "made-by";
const labelled = "duet-lab-clients";
/** Kubernetes puts ConfigMaps of its own into each namespace. */
const selector = `labelSelector=${encodeURIComponent(`${label}=${labelled}`)}`;

export const configMapsOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;
export const watchPath = (namespace: string, version: number): string =>
  `${configMapsOf(namespace)}?${selector}&watch=1&allowWatchBookmarks=true&resourceVersion=${version}`;

const version = v.pipe(v.string(), v.digits(), v.transform(Number));
export const objectShape = v.object({
  metadata: v.object({ name: v.optional(v.string(), ""), resourceVersion: version }),
});
const listShape = v.object({
  metadata: v.object({ resourceVersion: version }),
  items: v.array(objectShape),
});

export interface Listed {
  readonly version: number;
  readonly items: Item[];
}

/** All of the clients' ConfigMaps, as etcd has them now. */
export async function list(api: KubeApi, namespace: string): Promise<KubeResult<Listed>> {
  const answer = await getObject(api, `${configMapsOf(namespace)}?${selector}`, listShape, call_ms_max);
  if (!answer.ok) return answer;
  const { metadata, items } = answer.value;
  return {
    ok: true,
    value: {
      version: metadata.resourceVersion,
      items: items.map(({ metadata: each }): Item => [each.name, each.resourceVersion]),
    },
  };
}

export interface Made {
  readonly outcome: Outcome;
  readonly version?: number;
  readonly said?: string;
}

export const createMap = (api: KubeApi, namespace: string, name: string): Promise<Made> =>
  create(api, configMapsOf(namespace), configMap(name, labelled));

export const configMap = (name: string, madeBy: string): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels: { [label]: madeBy } },
  data: { made: name },
});

export const createNamespace = (api: KubeApi, name: string): Promise<Made> =>
  create(api, "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });

/** Sent once, on a connection of its own: nothing is repeated behind the writer's back. */
async function create({ url, tls }: KubeApi, path: string, object: object): Promise<Made> {
  try {
    const { status, body } = await https({
      url: new URL(path, url),
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/json" },
      body: JSON.stringify(object),
      deadline_ms: call_ms_max,
      tls: { ...tls, minVersion: "TLSv1.2" },
    });
    if (status === 201) return made(body);
    // An error of the server's own leaves it open; a refusal does not.
    return { outcome: status >= 400 && status < 500 ? "failed" : "open", said: `status ${status}` };
  } catch (error) {
    return {
      outcome: wasSent(error) ? "open" : "failed",
      said: failureOfError(error, call_ms_max).said.slice(0, 200),
    };
  }
}

function made(body: string): Made {
  const read = v.safeParse(objectShape, parseJson(body));
  return read.success
    ? { outcome: "ok", version: read.output.metadata.resourceVersion }
    : { outcome: "open", said: "the answer is no object of Kubernetes" };
}
