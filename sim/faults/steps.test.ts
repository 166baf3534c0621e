import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { stepNames } from "./steps.ts";

/** A trap at a step that was renamed would never spring. */
test("every step that a trap waits for is one of src/act", () => {
  const folder = fileURLToPath(new URL("../../src/act/", import.meta.url));
  const text = readdirSync(folder)
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => readFileSync(folder + name, "utf8"))
    .join("\n");
  const said = [...text.matchAll(/yield (?:"([^"]+)"|`([^`]+)`)/g)].map(
    ([, plain, made]) => new RegExp(`^${(plain ?? made ?? "").replaceAll(/\$\{[^}]*\}/g, ".+")}$`),
  );
  assert.ok(said.length > 30);
  const gone = stepNames.filter((name) => !said.some((pattern) => pattern.test(name)));
  assert.deepEqual(gone, []);
});
