/** Why etcd gave no answer that can be used: a value, because agents decide by it. */
export interface EtcdFailure {
  /**
   * `refused`: etcd turned it down, and it did not and will not happen. `unsure`: etcd itself can't tell whether it happened,
   * or will. `answer`: whatever answers there is no etcd that duet knows.
   */
  readonly kind: "unreachable" | "deadline" | "refused" | "unsure" | "answer";
  /** What an agent acts on, by etcd's own message; undefined for every other. */
  readonly reason: Reason | undefined;
  /** For the operator, with etcd's own words where there are any. */
  readonly said: string;
}

export type Reason =
  | "learner-not-ready"
  | "not-a-learner"
  | "unhealthy"
  | "not-enough-started"
  | "not-leader"
  | "no-leader"
  | "member-not-found"
  | "address-taken"
  | "too-many-learners"
  | "bad-transferee"
  | "is-learner"
  | "no-space"
  | "corrupt"
  | "stopped"
  | "leader-changed"
  | "timed-out";

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: EtcdFailure };

export const success = <T>(value: T): Result<T> => ({ ok: true, value });
export const failed = (
  kind: EtcdFailure["kind"],
  said: string,
  reason?: Reason,
): { readonly ok: false; readonly failure: EtcdFailure } => ({ ok: false, failure: { kind, reason, said } });

/** By the text and not by the gRPC code: 3.5 and 3.6 give some of them other codes, and the same words. */
const refusals: readonly (readonly [text: RegExp, reason: Reason])[] = [
  [/can only promote a learner member which is in sync with leader/, "learner-not-ready"],
  [/can only promote a learner member/, "not-a-learner"],
  [/unhealthy cluster/, "unhealthy"],
  [/not enough started members/, "not-enough-started"],
  [/not leader/, "not-leader"],
  [/no leader/, "no-leader"],
  [/member not found/, "member-not-found"],
  [/Peer URLs already exists/, "address-taken"],
  [/too many learner members/, "too-many-learners"],
  [/bad leader transferee/, "bad-transferee"],
  [/rpc not supported for learner/, "is-learner"],
  [/database space exceeded/, "no-space"],
  [/corrupt cluster/, "corrupt"],
];

/** What was proposed before may still be committed. */
const doubts: readonly (readonly [text: RegExp, reason: Reason])[] = [
  [/server stopped/, "stopped"],
  [/leader changed/, "leader-changed"],
  [/request timed out|deadline exceeded|request canceled|leader transfer timeout/, "timed-out"],
];

/** gRPC's own code for "nobody is there": the gateway is a client of its etcd, and that one may be on its way up or down. */
const unavailable = 14;

export function failureOfAnswer(status: number, body: string): EtcdFailure {
  const { code, message } = errorIn(body);
  if (message === undefined)
    return {
      kind: "answer",
      reason: undefined,
      said: `it answers with status ${status}, and not as etcd does`,
    };
  const said = printable(message);
  for (const [kind, table] of [
    ["unsure", doubts],
    ["refused", refusals],
  ] as const) {
    const reason = table.find(([text]) => text.test(message))?.[1];
    if (reason !== undefined) return { kind, reason, said };
  }
  // Other words of etcd's own are a plain no. The rest is of the gateway, or of Go.
  if (message.startsWith("etcdserver: ")) return { kind: "refused", reason: undefined, said };
  return { kind: code === unavailable ? "unreachable" : "unsure", reason: undefined, said };
}

/** 3.5 says `error` and `message`, 3.6 only `message`. */
function errorIn(body: string): { code: number | undefined; message: string | undefined } {
  const json = parseJson(body);
  if (typeof json !== "object" || json === null) return { code: undefined, message: undefined };
  const message = "message" in json ? json.message : "error" in json ? json.error : undefined;
  return {
    code: "code" in json && typeof json.code === "number" ? json.code : undefined,
    message: typeof message === "string" ? message : undefined,
  };
}

/** Of an error on the way: no connection, no trust, no end. */
export function failureOfError(error: unknown, deadline_ms: number): EtcdFailure {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (message.startsWith("no complete answer"))
    return { kind: "deadline", reason: undefined, said: `no complete answer within ${deadline_ms} ms` };
  if (message === "answer too long" || /^(HPE_|ERR_HTTP)/.test(code))
    return { kind: "answer", reason: undefined, said: "its answer is no HTTP that can be read" };
  const why = code === "" ? message : code;
  return { kind: "unreachable", reason: undefined, said: `no connection: ${printable(why)}` };
}

/** Undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    return json;
  } catch {
    return undefined;
  }
}

const printable = (text: string): string => text.replaceAll(/\p{Cc}+/gu, " ").slice(0, 200);
