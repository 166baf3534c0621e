import assert from "node:assert/strict";
import { test } from "node:test";
import { missingAddresses } from "./wait-links.ts";

test("addresses are compared whole: one that begins like another is not there", () => {
  assert.deepEqual(missingAddresses(["192.0.2.1"], new Set(["192.0.2.10"])), ["192.0.2.1"]);
  assert.deepEqual(missingAddresses(["192.0.2.1", "2001:db8::1"], new Set(["2001:db8::1", "192.0.2.1"])), []);
});
