import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { parse } from "yaml";
import { everything, minimal } from "../src/site/samples.ts";
import { schema_path, schemaText } from "./schema.ts";

test("docs/site.schema.json is what the schema says", async () => {
  assert.equal(await readFile(schema_path, "utf8"), schemaText(), "run: npm run schema");
});

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** What a min… or max… keyword measures; undefined where it says nothing about this kind of data. */
function sizeFor(keyword: string, data: unknown): number | undefined {
  if (keyword.endsWith("Length") && typeof data === "string") return data.length;
  if (keyword.endsWith("Items") && Array.isArray(data)) return data.length;
  return keyword.endsWith("Properties") && isJson(data) ? Object.keys(data).length : undefined;
}

/** As much of JSON Schema as ours uses; a keyword that is not known here is an error, not a pass. */
function faults(schema: unknown, data: unknown, at = "$"): readonly string[] {
  assert.ok(isJson(schema), at);
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const fault = (broken: boolean) => (broken ? [`${at}: ${keyword}`] : []);
    const size = sizeFor(keyword, data);
    switch (keyword) {
      case "$schema":
      case "title":
      case "description":
        return [];
      case "type":
        return fault(value !== (Array.isArray(data) ? "array" : typeof data));
      case "enum":
        return fault(!list(value).includes(data));
      case "const":
        return fault(data !== value);
      case "pattern":
        return fault(!new RegExp(String(value), "u").test(String(data)));
      case "required":
        return fault(!isJson(data) || !list(value).every((key) => String(key) in data));
      case "additionalProperties":
        assert.equal(value, false);
        return fault(
          isJson(data) &&
            isJson(schema["properties"]) &&
            !Object.keys(data).every((key) => key in Object(schema["properties"])),
        );
      case "properties":
        return isJson(data) && isJson(value)
          ? Object.entries(value).flatMap(([key, inner]) =>
              key in data ? faults(inner, data[key], `${at}.${key}`) : [],
            )
          : [];
      case "items":
        return list(data).flatMap((item, index) => faults(value, item, `${at}[${index}]`));
      case "anyOf":
        return fault(!list(value).some((inner) => faults(inner, data, at).length === 0));
      case "minItems":
      case "minLength":
      case "minProperties":
        return fault(size !== undefined && size < Number(value));
      case "maxItems":
      case "maxLength":
      case "maxProperties":
        return fault(size !== undefined && size > Number(value));
      default:
        throw new Error(`${at}: the test does not know ${keyword}`);
    }
  });
}

test("the JSON Schema takes the files that duet takes, and refuses what editors should mark", () => {
  const schema: unknown = JSON.parse(schemaText());
  const check = (text: string) => faults(schema, parse(text));
  assert.deepEqual(check(minimal), []);
  assert.deepEqual(check(everything), []);
  assert.deepEqual(check(minimal.replace("topology", "topolgy")), ["$: required", "$: additionalProperties"]);
  assert.deepEqual(check(minimal.replace("node1\n", "Node1\n")), ["$.machines[0].name: pattern"]);
  assert.deepEqual(check(minimal.replace("{ file: node1.bmc }", "admin")), [
    "$.machines[0].bmc.credentials: type",
    "$.machines[0].bmc.credentials: required",
  ]);
  assert.deepEqual(check(`${minimal}timeouts: { token: 5 }\n`), [
    "$.timeouts.token: type",
    "$.timeouts.token: pattern",
  ]);
});

test("every key of the schema has a description for the editor", () => {
  const without = (schema: unknown, at: string): readonly string[] => {
    if (!isJson(schema)) return [];
    const properties = isJson(schema["properties"]) ? Object.entries(schema["properties"]) : [];
    return [
      ...properties.flatMap(([key, inner]) => [
        ...(isJson(inner) && typeof inner["description"] === "string" ? [] : [`${at}.${key}`]),
        ...without(inner, `${at}.${key}`),
      ]),
      ...without(schema["items"], `${at}[]`),
    ];
  };
  assert.deepEqual(without(JSON.parse(schemaText()), "$"), []);
});
