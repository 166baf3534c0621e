import type { Privilege } from "../auth/role.ts";
import type { Answer } from "./answer.ts";
import type { Caller } from "./caller.ts";
import type { Check } from "./check.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Writable } from "./patch.ts";
import { type Collection, odataType, type Schema } from "./schema.ts";

interface Common {
  /** Who may do it; without it reading takes Login, and everything else `write`. */
  readonly may?: (caller: Caller, method: string) => boolean;
  readonly write?: Privilege;
}

/** A resource of the Redfish tree: ETag, HEAD, conditional requests and PATCH's rules come from the service. */
export interface ResourceEndpoint extends Common {
  readonly kind: "resource";
  readonly id: string;
  readonly schema: Schema | Collection;
  /** The service root: read by anyone. */
  readonly open?: true;
  readonly read: () => Promise<JsonObject> | JsonObject;
  readonly patch?: Writable;
  readonly create?: {
    /** Logging in is the one thing that takes no login. */
    readonly open?: true;
    readonly run: (body: JsonObject) => Promise<Answer>;
  };
  readonly remove?: () => Promise<void>;
}

export interface Parameter {
  readonly required: boolean;
  readonly check: Check;
}

/** The target of an action: takes POST alone. */
export interface ActionEndpoint extends Common {
  readonly kind: "action";
  /** `ComputerSystem.Reset` */
  readonly name: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly run: (values: ReadonlyMap<string, Json>) => Promise<Answer>;
}

/** What is no resource: the OData documents, a registry, a task's monitor. */
export interface DocumentEndpoint extends Common {
  readonly kind: "document";
  readonly type: "application/json" | "application/xml";
  readonly open?: true;
  readonly get: () => Answer;
}

export type Endpoint = ResourceEndpoint | ActionEndpoint | DocumentEndpoint;

export function methodsOf(endpoint: Endpoint): readonly string[] {
  if (endpoint.kind === "document") return ["GET", "HEAD"];
  if (endpoint.kind === "action") return ["POST"];
  return [
    "GET",
    "HEAD",
    ...(endpoint.create === undefined ? [] : ["POST"]),
    ...(endpoint.patch === undefined ? [] : ["PATCH"]),
    ...(endpoint.remove === undefined ? [] : ["DELETE"]),
  ];
}

export function isOpen(endpoint: Endpoint, method: string): boolean {
  if (endpoint.kind === "action") return false;
  if (method === "GET" || method === "HEAD") return endpoint.open === true;
  return endpoint.kind === "resource" && method === "POST" && endpoint.create?.open === true;
}

export const isAllowed = (endpoint: Endpoint, caller: Caller, method: string): boolean => {
  if (endpoint.may !== undefined) return endpoint.may(caller, method);
  const needed = method === "GET" || method === "HEAD" ? "Login" : endpoint.write;
  return needed !== undefined && caller.privileges.has(needed);
};

/** The body of a resource as it goes out, without its ETag. */
export const dressed = (endpoint: ResourceEndpoint, properties: JsonObject): JsonObject => ({
  "@odata.id": endpoint.id,
  "@odata.type": odataType(endpoint.schema),
  ...properties,
});

export const link = (id: string): JsonObject => ({ "@odata.id": id });

/** A collection's own properties; it may be more (a create) than this. */
export const listed = (name: string, members: readonly string[]): JsonObject => ({
  Name: name,
  "Members@odata.count": members.length,
  Members: members.map(link),
});
