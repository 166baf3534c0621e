import { refuse, refuseAll } from "./answer.ts";
import { type Check, wrongProperty } from "./check.ts";
import type { Caller } from "./caller.ts";
import { isObject, type Json, type JsonObject } from "./json.ts";
import { type Message, message } from "./message.ts";

/** What of a resource a client may change: each property by its path, `Boot/BootSourceOverrideTarget`. */
export interface Writable {
  readonly properties: Readonly<Record<string, Check>>;
  readonly apply: (changes: Changes, caller: Caller) => Promise<void>;
}
export type Changes = ReadonlyMap<string, Json>;

const errors_max = 20;

/**
 * All changes that a PATCH body asks for, or a refusal that names every property that can't be changed. All or nothing: a
 * client that gets an error knows that nothing happened.
 */
export function readChanges(body: Json | undefined, writable: Writable, current: JsonObject): Changes {
  if (body === undefined) refuse(400, "MalformedJSON");
  if (!isObject(body)) refuse(400, "UnrecognizedRequestBody");
  if (Object.keys(body).length === 0) refuse(400, "EmptyJSON");
  const changes = new Map<string, Json>();
  const errors: Message[] = [];
  walk("", body, current, writable.properties, changes, errors);
  if (errors.length > 0) refuseAll(400, errors.slice(0, errors_max));
  if (changes.size === 0) refuse(400, "NoOperation");
  return changes;
}

function walk(
  above: string,
  body: JsonObject,
  current: Json | undefined,
  properties: Writable["properties"],
  changes: Map<string, Json>,
  errors: Message[],
): void {
  for (const [name, value] of Object.entries(body)) {
    // Annotations describe; they are never changed by a PATCH.
    if (name.startsWith("@odata.")) continue;
    const path = `${above}${name}`;
    const check = Object.hasOwn(properties, path) ? properties[path] : undefined;
    const there = isObject(current) && Object.hasOwn(current, name) ? current[name] : undefined;
    if (check !== undefined) {
      const wrong = check(value);
      if (wrong === undefined) changes.set(path, value);
      else errors.push(wrongProperty(wrong, value, path));
    } else if (Object.keys(properties).some((one) => one.startsWith(`${path}/`))) {
      if (isObject(value)) walk(`${path}/`, value, there, properties, changes, errors);
      else errors.push(wrongProperty({ is: "type" }, value, path));
    } else {
      const id = there === undefined ? "PropertyUnknown" : "PropertyNotWritable";
      errors.push(message(id, [path.slice(0, 100)], [`#/${path.slice(0, 100)}`]));
    }
  }
}

/** The resource as it would look with these changes: what a BMC that lies shows. */
export function overlaid(current: JsonObject, changes: Changes): JsonObject {
  const result: Record<string, Json> = { ...current };
  for (const [path, value] of changes) {
    const [name = "", ...rest] = path.split("/");
    const inner = result[name];
    result[name] =
      rest.length === 0 ? value : overlaid(isObject(inner) ? inner : {}, new Map([[rest.join("/"), value]]));
  }
  return result;
}
