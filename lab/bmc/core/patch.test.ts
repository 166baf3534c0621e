import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Refusal } from "./answer.ts";
import { boolean, oneOf, text } from "./check.ts";
import { isObject, type Json, parseJson } from "./json.ts";
import { overlaid, readChanges, type Writable } from "./patch.ts";

const current = { Tag: "a", Serial: "1", Boot: { Target: "None", Fixed: true } };
const writable: Writable = {
  properties: {
    Tag: text({ characters_max: 3 }),
    "Boot/Target": oneOf(["None", "Pxe"]),
    Flag: boolean,
  },
  apply: async () => undefined,
};

const idsOf = (work: () => unknown): readonly string[] => {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const text = JSON.stringify(error.answer.body);
    return [...text.matchAll(/"MessageId":"Base\.[\d.]+\.(\w+)"/g)].map(([, id]) => id ?? "");
  }
  return [];
};

test("every property that can't be changed is named, and one is enough to refuse all", () => {
  const refused: readonly [Json, readonly string[]][] = [
    [{ Tag: "b", Nothing: 1 }, ["PropertyUnknown"]],
    [{ Serial: "2" }, ["PropertyNotWritable"]],
    [{ Boot: { Fixed: false, Strange: 1 } }, ["PropertyNotWritable", "PropertyUnknown"]],
    [{ Tag: "long" }, ["StringValueTooLong"]],
    [{ Tag: 5 }, ["PropertyValueTypeError"]],
    [{ Boot: { Target: "Usb" } }, ["PropertyValueNotInList"]],
    [{ Boot: "Pxe" }, ["PropertyValueTypeError"]],
    [{}, ["EmptyJSON"]],
    [{ "@odata.id": "/x" }, ["NoOperation"]],
    [[], ["UnrecognizedRequestBody"]],
    ["Tag", ["UnrecognizedRequestBody"]],
  ];
  for (const [body, ids] of refused)
    assert.deepEqual(
      idsOf(() => readChanges(body, writable, current)),
      ids,
      JSON.stringify(body),
    );
  assert.deepEqual(
    idsOf(() => readChanges(undefined, writable, current)),
    ["MalformedJSON"],
  );
});

test("a name from Object's prototype is as unknown as any", () => {
  for (const text of ['{"__proto__":{"a":1}}', '{"constructor":1}', '{"toString":1}'])
    assert.deepEqual(
      idsOf(() => readChanges(parseJson(text), writable, current)),
      ["PropertyUnknown"],
    );
});

test("any JSON gives changes or a refusal, never anything else; changes are only of writable properties", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const body = parseJson(JSON.stringify(value));
      try {
        const changes = readChanges(body, writable, current);
        assert.ok([...changes.keys()].every((path) => Object.hasOwn(writable.properties, path)));
        assert.ok(isObject(overlaid(current, changes)));
      } catch (error) {
        assert.ok(error instanceof Refusal);
        assert.equal(error.answer.status, 400);
      }
    }),
  );
});

test("JSON nested without end is not JSON", () => {
  assert.equal(parseJson("[".repeat(30_000) + "]".repeat(30_000)), undefined);
});

test("an overlay shows the change and leaves the rest", () => {
  assert.deepEqual(overlaid(current, new Map([["Boot/Target", "Pxe"]])), {
    ...current,
    Boot: { Target: "Pxe", Fixed: true },
  });
});
