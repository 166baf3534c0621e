import assert from "node:assert/strict";
import { test } from "node:test";
import { readSite } from "../../site/read.ts";
import { minimal } from "../../site/samples.ts";
import { checkSite } from "./site.ts";

const api = "api: { address: 192.0.2.10 }\n";
const found = (text: string) => {
  const { site, problems } = readSite(text, "site.yaml");
  assert.ok(site !== undefined, JSON.stringify(problems));
  return checkSite(site);
};

test("a site that can be rendered, and in which everything does something, has nothing to tell", () => {
  for (const more of ["", "kubernetes: {}\n", `kubernetes: {}\n${api}`])
    assert.deepEqual(found(`${minimal}${more}`), []);
});

test("an address that nobody holds is a warning, with what to write instead", () => {
  const [finding, ...more] = found(`${minimal}${api}`);
  assert.deepEqual(more, []);
  assert.deepEqual([finding?.subject, finding?.mark, finding?.code], ["site", "warn", "DUET-E-API-UNHELD"]);
  assert.match(finding?.detail ?? "", /^nobody holds 192\.0\.2\.10: /);
  assert.match(finding?.fix ?? "", /`kubernetes: \{\}`/);
});

test("what can't be rendered yet is told beside it", () => {
  const findings = found(minimal.replace("dual-replica", "pair") + api);
  assert.deepEqual(
    findings.map(({ code, mark }) => [code, mark]),
    [
      ["DUET-E-NOT-YET", "warn"],
      ["DUET-E-API-UNHELD", "warn"],
    ],
  );
});
