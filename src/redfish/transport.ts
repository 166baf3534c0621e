import type { PeerCertificate } from "node:tls";
import * as v from "valibot";
import { https, type HttpsAnswer, type HttpsCall, wasSent } from "../machine/https.ts";
import type { LoadedTrust } from "../machine/trust.ts";
import { now_ms } from "../machine/clock.ts";
import type { Credentials } from "../site/site.ts";
import type { Logins } from "../machine/logins.ts";
import type { Refusals } from "../machine/refusals.ts";
import { failed, type Failure, type Result, success } from "./failure.ts";

export interface Service {
  /** `https://host[:port]`. */
  readonly url: string;
  readonly credentials: Credentials;
  /** Where they are in a file: others to try, while they are being changed. */
  readonly logins?: Logins;
  /** What it refused of late is noted there. */
  readonly refusals?: Refusals;
  /** After so many refusals one after the other nothing is sent for a while: who only looks can wait. Undefined: each call is sent. */
  readonly waitsAfter?: number;
  readonly trust: LoadedTrust;
  /** Of each call, from connect to the last byte. */
  readonly deadline_ms: number;
}

export interface Answer {
  readonly status: number;
  readonly etag?: string;
  readonly location?: string;
  /** undefined where the answer has no body. */
  readonly json: unknown;
}

export interface Call {
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  readonly body?: unknown;
  readonly ifMatch?: string;
  /** Asked before it is sent once more, with other credentials: one that would go out too late is not. */
  readonly inTime?: () => boolean;
}

const redirects_max = 2;
const body_bytes_max = 1 << 20;

/** Anybody may read it, so that it is answered says nothing about a password. */
const isOpen = (path: string): boolean => /^\/redfish(\/v1)?\/?$/.test(path);

/**
 * One Redfish call, with the credentials that there are: where the first are refused, with the others, and with what their file holds by
 * now. A call that is refused for its credentials has done nothing, so each may be repeated. All of it has the time of one call.
 * Of two, the first is tried once more at the end: refused before the password was changed, while the second came after it.
 */
export async function ask(service: Service, call: Call): Promise<Result<Answer>> {
  const { url, trust, deadline_ms, logins, refusals, waitsAfter } = service;
  const held = waitsAfter === undefined ? undefined : refusals?.hold(waitsAfter);
  if (held !== undefined)
    return failed({ kind: "login", status: held.status, again_s: Math.ceil(held.left_ms / 1000) });
  const end_ms = now_ms() + deadline_ms;
  const tryWith = async (credentials: Credentials): Promise<Result<Answer>> => {
    const answer = await askWith({ url, trust, credentials, deadline_ms }, call, end_ms);
    if (isTaken(answer, call)) {
      logins?.took(credentials);
      refusals?.took();
    }
    return answer;
  };
  const [first = service.credentials, ...others] = logins?.inOrder ?? [];
  let answer = await tryWith(first);
  const tried = [first];
  const isRefused = () => !answer.ok && answer.failure.kind === "login";
  const again = () => (tried.length > 1 ? [first] : []);
  for (const more of [() => others, () => logins?.anew(tried) ?? [], again]) {
    for (const credentials of isRefused() ? await more() : []) {
      if (!isRefused()) break;
      if (call.inTime?.() === false) return failed({ kind: "deadline", deadline_ms });
      answer = await tryWith(credentials);
      tried.push(credentials);
    }
  }
  if (isLockedOut(answer, call)) refusals?.refused(answer.failure.status);
  return answer;
}

/** 403 is also the answer to who is logged in and may not do this: he may still look. */
const isLockedOut = (
  answer: Result<Answer>,
  { method }: Call,
): answer is { readonly ok: false; readonly failure: Failure & { readonly kind: "login" } } =>
  !answer.ok && answer.failure.kind === "login" && (answer.failure.status === 401 || method === "GET");

const isTaken = (answer: Result<Answer>, { path }: Call): boolean => answer.ok && !isOpen(path);

/** Answers with 2xx are a success; everything else is told apart by what can be done about it. */
async function askWith(service: Service, call: Call, end_ms: number): Promise<Result<Answer>> {
  let { path } = call;
  for (let hops = 0; ; hops++) {
    const url = sameOrigin(service.url, path);
    if (url === undefined) return failed({ kind: "not-redfish", why: "it points to another host" });
    const answer = await send(service, call, url, end_ms);
    if (!answer.ok) return answer;
    const { status, headers } = answer.value;
    if (![301, 302, 307, 308].includes(status)) return judge(answer.value);
    // A redirect is never followed to another host: the credentials are this one's alone.
    if (call.method !== "GET" || hops >= redirects_max)
      return failed({ kind: "not-redfish", why: `it redirects (status ${status})` });
    path = headers["location"] ?? "";
  }
}

async function send(service: Service, call: Call, url: URL, end_ms: number): Promise<Result<HttpsAnswer>> {
  const { username, password } = service.credentials;
  const { trust } = service;
  const request: HttpsCall = {
    url,
    method: call.method,
    headers: {
      accept: "application/json",
      "odata-version": "4.0",
      authorization: `Basic ${Buffer.from(`${username}:${password.reveal()}`).toString("base64")}`,
      ...(call.body === undefined ? {} : { "content-type": "application/json" }),
      ...(call.ifMatch === undefined ? {} : { "if-match": call.ifMatch }),
    },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    deadline_ms: left_ms(end_ms),
    body_bytes_max,
    ...believing(trust),
  };
  try {
    return success(await https(request));
  } catch (error) {
    const failure = failureOf(error, service.deadline_ms);
    if (failure.kind !== "untrusted" || failure.sha256 !== undefined) return failed(failure);
    const sha256 = await fingerprintOf(url, left_ms(end_ms));
    return failed({ ...failure, ...(sha256 === undefined ? {} : { sha256 }) });
  }
}

/** Which certificate a call takes. */
export const believing = (trust: LoadedTrust): Pick<HttpsCall, "tls" | "verify"> => ({
  tls: {
    rejectUnauthorized: trust.by === "system" || trust.by === "ca",
    ...(trust.by === "ca" ? { ca: trust.pem } : {}),
  },
  ...(trust.by === "fingerprint" ? { verify: verifyFingerprint(trust.sha256) } : {}),
});

const left_ms = (end_ms: number): number => Math.max(1, Math.round(end_ms - now_ms()));

class Untrusted extends Error {
  readonly sha256: string;

  constructor(sha256: string) {
    super("it is another one than the site file names");
    this.sha256 = sha256;
  }
}

const sha256Of = (certificate: PeerCertificate): string =>
  certificate.fingerprint256.replaceAll(":", "").toLowerCase();

function verifyFingerprint(wanted: string): (certificate: PeerCertificate) => void {
  return (certificate) => {
    if (sha256Of(certificate) !== wanted) throw new Untrusted(sha256Of(certificate));
  };
}

/** What the service shows, without sending it a byte of a request. */
async function fingerprintOf(url: URL, deadline_ms: number): Promise<string | undefined> {
  let seen: string | undefined;
  const look = (certificate: PeerCertificate): never => {
    seen = sha256Of(certificate);
    throw new Error("seen");
  };
  const call: HttpsCall = {
    url,
    method: "GET",
    deadline_ms,
    tls: { rejectUnauthorized: false },
    verify: look,
  };
  await https(call).catch(() => undefined);
  return seen;
}

const untrusted_codes =
  /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|INVALID_CA|HOSTNAME_MISMATCH|PATH_LENGTH|INVALID_PURPOSE)/;

export function failureOf(error: unknown, deadline_ms: number): Failure {
  if (error instanceof Untrusted) return { kind: "untrusted", why: error.message, sha256: error.sha256 };
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = error instanceof Error ? error.message : String(error);
  const sent = wasSent(error) ? { sent: true as const } : {};
  if (message.startsWith("no complete answer")) return { kind: "deadline", deadline_ms, ...sent };
  if (untrusted_codes.test(code))
    return {
      kind: "untrusted",
      why: code.toLowerCase().replaceAll("_", " "),
      ...(/ALTNAME|HOSTNAME/.test(code) ? { name: true } : {}),
    };
  if (/wrong.version.number|packet.length/i.test(`${code} ${message}`))
    return { kind: "not-redfish", why: "it does not speak TLS on this port" };
  if (/^(ERR_SSL_|EPROTO)/.test(code))
    return { kind: "not-redfish", why: `no TLS could be agreed on (${code})` };
  if (/^(HPE_|ERR_HTTP)/.test(code) || message === "answer too long")
    return { kind: "not-redfish", why: "its answer is no HTTP that can be read" };
  return { kind: "unreachable", why: code === "" ? "the connection broke" : code, ...sent };
}

function judge({ status, headers, body }: HttpsAnswer): Result<Answer> {
  if (status === 401 || status === 403) return failed({ kind: "login", status });
  if (status === 412) return failed({ kind: "changed" });
  const json = parse(body);
  if (status < 200 || status > 299) return failed({ kind: "status", status, said: messageOf(json) });
  if (json === undefined && body.trim() !== "")
    return failed({ kind: "not-redfish", why: "its answer is not JSON" });
  const { etag, location } = headers;
  return success({
    status,
    json,
    ...(etag === undefined ? {} : { etag }),
    ...(location === undefined ? {} : { location }),
  });
}

function parse(body: string): unknown {
  try {
    const json: unknown = JSON.parse(body);
    return json;
  } catch {
    return undefined;
  }
}

/** The first sentence of a Redfish error, with nothing in it that could upset a terminal. */
/** Many only say "see the extended information" in the message itself, and what is wrong by an id of a registry there. */
function messageOf(json: unknown): string {
  const parsed = v.safeParse(errorShape, json);
  if (!parsed.success) return "";
  const { message, "@Message.ExtendedInfo": more } = parsed.output.error;
  const said = [message, ...more.flatMap(({ MessageId, Message }) => [MessageId, Message])];
  const text = said.filter((each) => each !== undefined && each !== "").join(": ");
  return text.replaceAll(/\p{Cc}+/gu, " ").slice(0, 300);
}

const words = v.fallback(v.optional(v.string()), undefined);
const errorShape = v.object({
  error: v.object({
    message: words,
    "@Message.ExtendedInfo": v.fallback(v.array(v.object({ MessageId: words, Message: words })), []),
  }),
});

/** A path of the service, or undefined for one that leads elsewhere. */
function sameOrigin(base: string, path: string): URL | undefined {
  if (!URL.canParse(path, base)) return undefined;
  const url = new URL(path, base);
  return url.origin === new URL(base).origin && url.username === "" ? url : undefined;
}
