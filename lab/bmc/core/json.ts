export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Deeper than any Redfish body; keeps recursion over a client's JSON bounded. */
const depth_max = 32;

export function isJson(value: unknown, depth = 0): value is Json {
  if (value === null || typeof value === "boolean" || typeof value === "string") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth >= depth_max) return false;
  return Object.values(value).every((inner) => isJson(inner, depth + 1));
}

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !isList(value);
}

/** A client's JSON text, or undefined where it is none. */
export function parseJson(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What a client is shown of its own value in an error: bounded. */
export const show = (value: Json): string =>
  (typeof value === "string" ? value : JSON.stringify(value)).slice(0, 100);
