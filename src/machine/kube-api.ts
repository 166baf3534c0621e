import * as v from "valibot";
import { readKubeconfig } from "../render/kubernetes/kubeconfig.ts";
import { failureOfError, parseJson } from "./etcd/failure.ts";
import { readSmall } from "./files.ts";
import { https, type HttpsAnswer } from "./https.ts";

/** One API server, and as whom it is spoken to: all of it in PEM form. */
export interface KubeApi {
  /** `https://address:port`, IPv6 in brackets. */
  readonly url: string;
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string };
}

/** `refused`: the API has understood it and says no, with its status. `answer`: whatever answers there is no API of Kubernetes. */
export interface KubeFailure {
  readonly kind: "unreachable" | "deadline" | "refused" | "answer";
  readonly status?: number;
  readonly said: string;
  /** Of `/readyz`: the checks that fail, by its own names. */
  readonly checks?: readonly string[];
}

export type KubeResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: KubeFailure };

const body_bytes_max = 8 << 20;
/** A kubeconfig with its three certificates and keys. */
const config_bytes_max = 64 << 10;

/** As a kubeconfig of duet's says; undefined where there is none that can be read. */
export async function loadKubeApi(kubeconfig: string): Promise<KubeApi | undefined> {
  const file = await readSmall(kubeconfig, config_bytes_max);
  const config = file.ok ? readKubeconfig(file.text) : undefined;
  if (config === undefined) return undefined;
  return {
    url: config.server,
    tls: { ca: config.authority, cert: config.certificate, key: config.key.reveal() },
  };
}

/** What `/readyz` says: `ok`, or which of its parts is not. */
export async function readyz(api: KubeApi, deadline_ms: number): Promise<KubeResult<undefined>> {
  const answer = await send(api, { method: "GET", path: "/readyz" }, deadline_ms);
  if (!answer.ok) return answer;
  const { status, body } = answer.value;
  if (status === 200) return { ok: true, value: undefined };
  const checks = failingChecks(body);
  const said = checks.length > 0 ? `failing checks: ${checks.join(", ")}` : saidIn(status, body);
  return { ok: false, failure: { kind: "refused", status, said, checks } };
}

/** Of what `/readyz` lists where it says no, each on a line: `[-]etcd failed: reason withheld`. */
export const failingChecks = (body: string): readonly string[] =>
  [...body.matchAll(/^\[-\](\S+)/gm)].map(([, name = ""]) => name);

/** It would be ready if its etcd answered it. */
export const onlyEtcdFails = (checks: readonly string[]): boolean =>
  checks.length > 0 && checks.every((name) => /^etcd(-|$)/.test(name));

export const getObject = <S extends v.GenericSchema>(
  api: KubeApi,
  path: string,
  shape: S,
  deadline_ms: number,
): Promise<KubeResult<v.InferOutput<S>>> => call(api, { method: "GET", path }, shape, deadline_ms);

/**
 * Server-side apply: made where it is missing, changed where it differs, and nothing where it is so already; what others have set
 * beside it stays. Two who do it at once with the same object do not harm each other.
 */
export const applyObject = (
  api: KubeApi,
  path: string,
  body: object,
  deadline_ms: number,
): Promise<KubeResult<unknown>> =>
  // JSON is YAML.
  patch(api, `${path}?fieldManager=duet&force=true`, "application/apply-patch+yaml", body, deadline_ms);

/** Changes the fields that are named, of an object that is there. */
export const mergeObject = (
  api: KubeApi,
  path: string,
  body: object,
  deadline_ms: number,
): Promise<KubeResult<unknown>> => patch(api, path, "application/merge-patch+json", body, deadline_ms);

/** The same, and of a list only the entries that are named: of conditions the one of that type. */
export const mergeEntries = (
  api: KubeApi,
  path: string,
  body: object,
  deadline_ms: number,
): Promise<KubeResult<unknown>> =>
  patch(api, path, "application/strategic-merge-patch+json", body, deadline_ms);

const patch = (
  api: KubeApi,
  path: string,
  type: string,
  body: object,
  deadline_ms: number,
): Promise<KubeResult<unknown>> =>
  call(api, { method: "PATCH", path, type, body: JSON.stringify(body) }, v.unknown(), deadline_ms);

interface Call {
  readonly method: "GET" | "PATCH";
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
}

async function call<S extends v.GenericSchema>(
  api: KubeApi,
  what: Call,
  shape: S,
  deadline_ms: number,
): Promise<KubeResult<v.InferOutput<S>>> {
  const answer = await send(api, what, deadline_ms);
  if (!answer.ok) return answer;
  const { status, body } = answer.value;
  if (status < 200 || status > 299)
    return { ok: false, failure: { kind: "refused", status, said: saidIn(status, body) } };
  const parsed = v.safeParse(shape, parseJson(body));
  if (parsed.success) return { ok: true, value: parsed.output };
  const [issue] = parsed.issues;
  return {
    ok: false,
    failure: {
      kind: "answer",
      said: `it does not answer as Kubernetes does: ${v.getDotPath(issue) ?? "all"}: ${issue.message}`,
    },
  };
}

async function send(
  { url, tls }: KubeApi,
  { method, path, type, body }: Call,
  deadline_ms: number,
): Promise<KubeResult<HttpsAnswer>> {
  try {
    const answer = await https({
      url: new URL(path, url),
      method,
      headers: { accept: "application/json", ...(type === undefined ? {} : { "content-type": type }) },
      ...(body === undefined ? {} : { body }),
      deadline_ms,
      body_bytes_max,
      tls: { ...tls, minVersion: "TLSv1.2" },
    });
    return { ok: true, value: answer };
  } catch (error) {
    const { kind, said } = failureOfError(error, deadline_ms);
    return {
      ok: false,
      failure: { kind: kind === "deadline" || kind === "answer" ? kind : "unreachable", said },
    };
  }
}

const statusShape = v.object({ kind: v.literal("Status"), message: v.string() });

/** The API's own words, where it is one. */
function saidIn(status: number, body: string): string {
  const parsed = v.safeParse(statusShape, parseJson(body));
  const words = parsed.success ? `: ${parsed.output.message}` : "";
  return `status ${status}${words}`.replaceAll(/\p{Cc}+/gu, " ").slice(0, 300);
}
