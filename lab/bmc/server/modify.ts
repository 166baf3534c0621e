import { type Answer, noContent, refuse } from "../core/answer.ts";
import type { Caller } from "../core/caller.ts";
import { dressed, type ResourceEndpoint } from "../core/endpoint.ts";
import { matches } from "../core/etag.ts";
import { isObject, parseJson } from "../core/json.ts";
import { overlaid, readChanges } from "../core/patch.ts";
import { represented, shown } from "./read.ts";
import type { HttpRequest } from "./request.ts";
import { accepted } from "./accepted.ts";
import type { Tasks } from "./tasks.ts";

/** How a faulty BMC deceives: it says that it is done, or that a task will do it. */
export type Trick = "lie" | Tasks | undefined;

/** PATCH: the whole of it or nothing, and only on the version that the client has seen, where it names one. */
export async function patch(
  endpoint: ResourceEndpoint,
  request: HttpRequest,
  caller: Caller,
  trick: Trick,
): Promise<Answer> {
  if (endpoint.patch === undefined) return refuse(405, "OperationNotAllowed");
  const current = await endpoint.read();
  checkMatch(endpoint, request, represented(endpoint, current).etag);
  const changes = readChanges(parseJson(request.body), endpoint.patch, dressed(endpoint, current));
  if (trick === "lie") return shown(endpoint, overlaid(current, changes));
  if (trick !== undefined) return accepted(trick.add(`PATCH ${endpoint.id}`));
  await endpoint.patch.apply(changes, caller);
  return shown(endpoint, await endpoint.read());
}

export async function create(endpoint: ResourceEndpoint, request: HttpRequest): Promise<Answer> {
  if (endpoint.create === undefined) return refuse(405, "OperationNotAllowed");
  const body = parseJson(request.body);
  if (body === undefined) return refuse(400, "MalformedJSON");
  if (!isObject(body)) return refuse(400, "UnrecognizedRequestBody");
  return await endpoint.create.run(body);
}

export async function remove(endpoint: ResourceEndpoint, request: HttpRequest): Promise<Answer> {
  if (endpoint.remove === undefined) return refuse(405, "OperationNotAllowed");
  if (request.headers["if-match"] !== undefined)
    checkMatch(endpoint, request, represented(endpoint, await endpoint.read()).etag);
  await endpoint.remove();
  return noContent;
}

function checkMatch(endpoint: ResourceEndpoint, request: HttpRequest, etag: string): void {
  const wanted = request.headers["if-match"];
  if (wanted !== undefined && !matches(wanted, etag)) refuse(412, "PreconditionFailed", endpoint.id);
}
