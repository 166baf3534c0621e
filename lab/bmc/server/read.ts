import { type Answer, refuse, Text } from "../core/answer.ts";
import { dressed, type Endpoint, methodsOf, type ResourceEndpoint } from "../core/endpoint.ts";
import { etagOf, matches } from "../core/etag.ts";
import type { JsonObject } from "../core/json.ts";
import { onlyMember, sliced } from "../core/query.ts";
import type { Router } from "../core/router.ts";
import { describedBy } from "../core/schema.ts";
import type { HttpRequest } from "./request.ts";

/** A resource's body with its tag, both as header and as property. */
export function represented(
  endpoint: ResourceEndpoint,
  properties: JsonObject,
): { readonly etag: string; readonly body: JsonObject } {
  const { "@odata.id": id = endpoint.id, "@odata.type": type = "", ...rest } = dressed(endpoint, properties);
  const etag = etagOf({ id, type, ...rest });
  return { etag, body: { "@odata.id": id, "@odata.type": type, "@odata.etag": etag, ...rest } };
}

/** The answer that shows a resource. */
export function shown(endpoint: ResourceEndpoint, properties: JsonObject, status = 200): Answer {
  const { etag, body } = represented(endpoint, properties);
  return { status, body, headers: resourceHeaders(endpoint, etag) };
}

const resourceHeaders = (endpoint: ResourceEndpoint, etag: string): Record<string, string> => ({
  etag,
  allow: methodsOf(endpoint).join(", "),
  link: describedBy(endpoint.schema),
});

/** GET and HEAD. */
export async function read(
  endpoint: Endpoint,
  request: HttpRequest,
  query: URLSearchParams,
  router: Router,
): Promise<Answer> {
  if (endpoint.kind === "action") return refuse(405, "OperationNotAllowed");
  if (endpoint.kind === "document") {
    const answer = endpoint.get();
    return { ...answer, headers: { allow: methodsOf(endpoint).join(", "), ...answer.headers } };
  }
  const properties = await endpoint.read();
  const only = onlyMember(query, properties);
  const member = only === undefined ? undefined : router.find(only);
  if (member?.kind === "resource") return conditional(shown(member, await member.read()), request);
  return conditional(shown(endpoint, sliced(endpoint, query, properties)), request);
}

/** 304 where the client has this very representation already. */
function conditional(answer: Answer, request: HttpRequest): Answer {
  const known = request.headers["if-none-match"];
  const etag = answer.headers?.["etag"];
  if (known === undefined || etag === undefined || !matches(known, etag)) return answer;
  return { status: 304, headers: answer.headers ?? {} };
}

export const bodyText = (answer: Answer): { readonly type: string; readonly text: string } | undefined => {
  if (answer.body === undefined) return undefined;
  if (answer.body instanceof Text) return { type: answer.body.type, text: answer.body.content };
  return { type: "application/json; charset=utf-8", text: JSON.stringify(answer.body) };
};
