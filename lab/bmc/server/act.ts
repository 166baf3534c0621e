import { type Answer, noContent, refuse, refuseAll } from "../core/answer.ts";
import { wrongParameter } from "../core/check.ts";
import type { ActionEndpoint } from "../core/endpoint.ts";
import { isObject, type Json, type JsonObject, parseJson } from "../core/json.ts";
import { type Message, message } from "../core/message.ts";
import { accepted } from "./accepted.ts";
import type { Trick } from "./modify.ts";
import type { HttpRequest } from "./request.ts";

/** POST to an action: its parameters are checked first, so that a refused action did nothing. */
export async function act(endpoint: ActionEndpoint, request: HttpRequest, trick: Trick): Promise<Answer> {
  const body = request.body.trim() === "" ? {} : parseJson(request.body);
  if (body === undefined) return refuse(400, "MalformedJSON");
  if (!isObject(body)) return refuse(400, "UnrecognizedRequestBody");
  const values = readParameters(endpoint, body);
  if (trick === "lie") return noContent;
  if (trick !== undefined) return accepted(trick.add(endpoint.name));
  return await endpoint.run(values);
}

function readParameters(endpoint: ActionEndpoint, body: JsonObject): ReadonlyMap<string, Json> {
  const { name: action, parameters } = endpoint;
  const values = new Map<string, Json>();
  const errors: Message[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (name.startsWith("@odata.")) continue;
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    const wrong = parameter?.check(value);
    if (parameter === undefined) errors.push(message("ActionParameterUnknown", [action, name.slice(0, 100)]));
    else if (wrong === undefined) values.set(name, value);
    else errors.push(wrongParameter(wrong, value, name, action));
  }
  for (const [name, { required }] of Object.entries(parameters))
    if (required && !Object.hasOwn(body, name))
      errors.push(message("ActionParameterMissing", [action, name]));
  if (errors.length > 0) refuseAll(400, errors.slice(0, 20));
  return values;
}
