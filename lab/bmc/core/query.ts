import { refuse } from "./answer.ts";
import type { ResourceEndpoint } from "./endpoint.ts";
import { isList, isObject, type JsonObject } from "./json.ts";

/** What the service root says of queries; the code below does just these. */
export const supportedQueries: JsonObject = {
  ExcerptQuery: false,
  ExpandQuery: { ExpandAll: false, Levels: false, Links: false, NoLinks: false },
  FilterQuery: false,
  OnlyMemberQuery: true,
  SelectQuery: false,
  TopSkipQuery: true,
};

/** Query parameters with a dollar that are not supported are refused, others ignored (DSP0266, "Query parameters"). */
export function checkQuery(query: URLSearchParams, method: string): void {
  const dollars = [...query.keys()].filter((name) => name.startsWith("$"));
  if (method !== "GET" && method !== "HEAD") {
    if (dollars.length > 0) refuse(400, "QueryNotSupportedOnOperation");
    return;
  }
  const strange = dollars.find((name) => name !== "$top" && name !== "$skip");
  if (strange !== undefined) refuse(501, "QueryParameterUnsupported", strange.slice(0, 50));
}

function count(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  if (!/^\d{1,9}$/.test(value)) refuse(400, "QueryParameterValueFormatError", value.slice(0, 50), name);
  return Number(value);
}

/** The path of the one member that `only` asks for, or undefined where the collection itself is meant. */
export function onlyMember(query: URLSearchParams, body: JsonObject): string | undefined {
  const value = query.get("only");
  if (value === null) return undefined;
  if (value !== "") refuse(400, "QueryParameterValueFormatError", value.slice(0, 50), "only");
  const members = body["Members"];
  if (!isList(members)) refuse(400, "QueryNotSupportedOnResource");
  const [first] = members;
  const id = isObject(first) && members.length === 1 ? first["@odata.id"] : undefined;
  return typeof id === "string" ? id : undefined;
}

/** A part of a collection; the count stays the whole. */
export function sliced(endpoint: ResourceEndpoint, query: URLSearchParams, body: JsonObject): JsonObject {
  const top = count(query, "$top");
  const skip = count(query, "$skip");
  if (top === undefined && skip === undefined) return body;
  const members = body["Members"];
  if (!isList(members)) refuse(400, "QueryNotSupportedOnResource");
  const start = skip ?? 0;
  const end = top === undefined ? members.length : start + top;
  return {
    ...body,
    Members: members.slice(start, end),
    ...(end < members.length && top !== 0
      ? { "Members@odata.nextLink": `${endpoint.id}?$skip=${end}${top === undefined ? "" : `&$top=${top}`}` }
      : {}),
  };
}
