import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { findingsTable } from "./findings.ts";

test("findings are grouped by machine, with marks, times and the way out", () => {
  const text = findingsTable([
    { subject: "node1", check: "BMC login", mark: "ok", detail: "Redfish 1.0", ms: 3.14 },
    { subject: "node2", check: "link 1", mark: "warn", detail: "silent", fix: "see the wire" },
    {
      subject: "node1",
      check: "disk",
      mark: "fail",
      detail: "slow",
      fix: "buy another",
      code: "DUET-E-SITE-FILE",
      ms: 123.4,
    },
  ]);
  assert.equal(
    stripVTControlCharacters(text),
    `
node1
  ✓ BMC login  Redfish 1.0  (3.1 ms)
  ✗ disk       slow  (123 ms)
               buy another  [DUET-E-SITE-FILE]

node2
  ! link 1     silent
               see the wire

1 ok, 1 warning, 1 failed
`,
  );
});
