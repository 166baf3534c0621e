import { setTimeout as timer } from "node:timers/promises";
import type { Accounts } from "../auth/account.ts";
import { hasCredentials, identify } from "../auth/login.ts";
import type { Sessions } from "../auth/session.ts";
import { type Answer, errorAnswer, Refusal, refuse } from "../core/answer.ts";
import type { Caller } from "../core/caller.ts";
import { type Endpoint, isAllowed, isOpen, methodsOf } from "../core/endpoint.ts";
import { message } from "../core/message.ts";
import { checkQuery } from "../core/query.ts";
import type { Router } from "../core/router.ts";
import { type Fault, has } from "../fault.ts";
import { act } from "./act.ts";
import { accepts, isJsonBody } from "./media.ts";
import { create, patch, remove } from "./modify.ts";
import { read } from "./read.ts";
import type { HttpRequest } from "./request.ts";
import type { Tasks } from "./tasks.ts";

export interface ServiceParts {
  readonly router: Router;
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly tasks: Tasks;
  readonly faults: () => readonly Fault[];
  readonly log: (sentence: string) => void;
}

const nobody: Caller = { account: "", privileges: new Set() };
const challenge = { "www-authenticate": 'Basic realm="duet lab", charset="UTF-8"' };

/** Redfish without the wire: a request in, an answer out. */
export class Service {
  readonly #parts: ServiceParts;
  /** Changes run one after another, so that an If-Match and the change that it guards are one step. */
  #tail: Promise<unknown> = Promise.resolve();

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  async handle(request: HttpRequest): Promise<Answer> {
    try {
      return withCommonHeaders(await this.#handle(request));
    } catch (error) {
      if (error instanceof Refusal) return withCommonHeaders(error.answer);
      this.#parts.log(`${request.method} ${request.target} failed: ${String(error)}`);
      return withCommonHeaders(errorAnswer(500, [message("InternalError")]));
    }
  }

  async #handle(request: HttpRequest): Promise<Answer> {
    const faults = this.#parts.faults();
    for (const fault of faults)
      if (fault.kind === "slow") await timer(fault.seconds * 1_000, undefined, { ref: false });
    if (has(faults, "server-error")) return errorAnswer(500, [message("InternalError")]);
    const [path = "", search] = request.target.split("?", 2);
    const query = new URLSearchParams(search ?? "");
    const endpoint = this.#parts.router.find(decoded(path));
    const caller = this.#admit(request, endpoint, faults);
    if (endpoint === undefined) refuse(404, "ResourceMissingAtURI", path.slice(0, 200));
    checkHeaders(request, endpoint);
    checkQuery(query, request.method);
    if (request.method === "GET" || request.method === "HEAD")
      return await read(endpoint, request, query, this.#parts.router);
    return await this.#alone(() => this.#modify(endpoint, request, caller, faults));
  }

  /** Who is it, may they: 401 before anything about the resource is told, 405 before 403, 403 before the body is looked at. */
  #admit(request: HttpRequest, endpoint: Endpoint | undefined, faults: readonly Fault[]): Caller {
    const { method, headers } = request;
    const open = endpoint !== undefined && isOpen(endpoint, method);
    if (has(faults, "unauthorized") && (hasCredentials(headers) || !open || method === "POST"))
      refuse(401, "NoValidSession");
    const caller = identify(headers, this.#parts.accounts, this.#parts.sessions);
    if (!open && caller === undefined) refuse(401, "NoValidSession");
    if (endpoint !== undefined) {
      const allow = methodsOf(endpoint);
      if (!allow.includes(method))
        throw new Refusal(errorAnswer(405, [message("OperationNotAllowed")], { allow: allow.join(", ") }));
      if (!open && caller !== undefined && !isAllowed(endpoint, caller, method))
        refuse(403, "InsufficientPrivilege");
    }
    return caller ?? nobody;
  }

  async #modify(
    endpoint: Endpoint,
    request: HttpRequest,
    caller: Caller,
    faults: readonly Fault[],
  ): Promise<Answer> {
    const trick = has(faults, "lies")
      ? "lie"
      : has(faults, "accepted-no-effect")
        ? this.#parts.tasks
        : undefined;
    if (endpoint.kind === "action") return await act(endpoint, request, trick);
    if (endpoint.kind === "document") return refuse(405, "OperationNotAllowed");
    switch (request.method) {
      case "PATCH":
        return await patch(endpoint, request, caller, trick);
      case "POST":
        return await create(endpoint, request);
      case "DELETE":
        return await remove(endpoint, request);
      default:
        return refuse(405, "OperationNotAllowed");
    }
  }

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(work);
    this.#tail = turn.catch(() => undefined);
    return await turn;
  }
}

/** A path with a broken escape is the path of nothing. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return "";
  }
}

function checkHeaders(request: HttpRequest, endpoint: Endpoint): void {
  const version = request.headers["odata-version"];
  if (version !== undefined && version.trim() !== "4.0") refuse(412, "HeaderInvalid", "OData-Version");
  const type = endpoint.kind === "document" ? endpoint.type : "application/json";
  if (!accepts(request.headers["accept"], type)) refuse(406, "HeaderInvalid", "Accept");
  const changes = request.method === "POST" || request.method === "PATCH";
  if (changes && request.body !== "" && !isJsonBody(request.headers["content-type"]))
    refuse(415, "HeaderInvalid", "Content-Type");
}

const withCommonHeaders = (answer: Answer): Answer => ({
  ...answer,
  headers: {
    "odata-version": "4.0",
    "cache-control": "no-cache",
    ...(answer.status === 401 ? challenge : {}),
    ...answer.headers,
  },
});
