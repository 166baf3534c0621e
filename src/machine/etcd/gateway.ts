import * as v from "valibot";
import { https, type HttpsAnswer } from "../https.ts";
import { failed, failureOfAnswer, failureOfError, parseJson, type Result, success } from "./failure.ts";

/** One etcd, and what it takes to be let in: all of it in PEM form. */
export interface Endpoint {
  /** `https://address:port`, IPv6 in brackets. */
  readonly url: string;
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string };
}

const body_bytes_max = 4 << 20;

/** One call of etcd's JSON gateway: `path` as in `kv/range`. Bounded from connect to the last byte. */
export async function call<S extends v.GenericSchema>(
  endpoint: Endpoint,
  path: string,
  body: Readonly<Record<string, unknown>>,
  shape: S,
  deadline_ms: number,
): Promise<Result<v.InferOutput<S>>> {
  const answer = await send(endpoint, "POST", `/v3/${path}`, JSON.stringify(body), deadline_ms);
  if (!answer.ok) return answer;
  if (answer.value.status !== 200)
    return { ok: false, failure: failureOfAnswer(answer.value.status, answer.value.body) };
  return shaped(shape, answer.value.body);
}

/** The same for what is beside the gateway; every status is an answer. */
export async function get<S extends v.GenericSchema>(
  endpoint: Endpoint,
  path: string,
  shape: S,
  deadline_ms: number,
): Promise<Result<v.InferOutput<S>>> {
  const answer = await send(endpoint, "GET", path, undefined, deadline_ms);
  return answer.ok ? shaped(shape, answer.value.body) : answer;
}

function shaped<S extends v.GenericSchema>(shape: S, body: string): Result<v.InferOutput<S>> {
  const parsed = v.safeParse(shape, parseJson(body));
  if (parsed.success) return success(parsed.output);
  const [issue] = parsed.issues;
  return failed(
    "answer",
    `it does not answer as etcd does: ${v.getDotPath(issue) ?? "all"}: ${issue.message}`,
  );
}

async function send(
  { url, tls }: Endpoint,
  method: string,
  path: string,
  body: string | undefined,
  deadline_ms: number,
): Promise<Result<HttpsAnswer>> {
  try {
    return success(
      await https({
        url: new URL(path, url),
        method,
        headers: { "content-type": "application/json" },
        ...(body === undefined ? {} : { body }),
        deadline_ms,
        body_bytes_max,
        tls: { ...tls, minVersion: "TLSv1.2" },
      }),
    );
  } catch (error) {
    return { ok: false, failure: failureOfError(error, deadline_ms) };
  }
}
