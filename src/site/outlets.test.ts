import assert from "node:assert/strict";
import { test } from "node:test";
import { outlets_max } from "./defaults.ts";
import { readSite } from "./read.ts";
import { minimal } from "./samples.ts";
import { writeSite } from "./write.ts";

const path = (name: string) => `/redfish/v1/PowerEquipment/RackPDUs/1/Outlets/${name}`;
const outlet = (name: string, address = "pdu-a.example") =>
  `{ address: ${address}, outlet: ${path(name)}, credentials: { file: pdu.login } }`;
const read = (name: string, address = "pdu-a.example") => ({
  url: `https://${address}`,
  outlet: path(name),
  credentials: { file: "pdu.login" },
  trust: { by: "system" },
});

/** The minimal site, with this as the last machine's `pdu`. Its first line is 15. */
const fed = (pdu: string) => `${minimal}    pdu: ${pdu}\n`;
const listed = (...outlets: readonly string[]) => fed(["", ...outlets].join("\n      - "));
const pdusOf = (text: string) => {
  const { site, problems } = readSite(text, "site.yaml");
  assert.deepEqual(problems, []);
  return site?.machines.map(({ pdus }) => pdus);
};
const told = (text: string) =>
  readSite(text, "site.yaml").problems.map(
    ({ code, where }) => `${where.replace("site.yaml:", "")} ${code.replace("DUET-E-SITE-", "")}`,
  );
const what = (text: string) => readSite(text, "site.yaml").problems[0]?.what ?? "";

test("no outlet, one, and a list of one are one shape; a list keeps its order", () => {
  assert.deepEqual(pdusOf(minimal), [[], []]);
  assert.deepEqual(pdusOf(fed(outlet("A1"))), [[], [read("A1")]]);
  assert.deepEqual(pdusOf(fed(`[${outlet("A1")}]`)), [[], [read("A1")]]);
  const two = listed(outlet("B2", "pdu-b.example"), outlet("A1"));
  assert.deepEqual(pdusOf(two), [[], [read("B2", "pdu-b.example"), read("A1")]]);
});

test("what was read is written as it is read: one plainly, several as a list", () => {
  for (const text of [minimal, fed(outlet("A1")), listed(outlet("A1"), outlet("A2"))]) {
    const { site } = readSite(text, "site.yaml");
    assert.ok(site !== undefined);
    assert.deepEqual(readSite(writeSite(site), "site.yaml").site, site);
  }
  const { site } = readSite(fed(`[${outlet("A1")}]`), "site.yaml");
  assert.ok(site !== undefined);
  assert.match(writeSite(site), /pdu:\n {6}address:/);
});

test("an outlet is named once, in a list and in the site; the same name on another PDU is another outlet", () => {
  const twice = listed(outlet("A1"), outlet("A2"), outlet("A1", "https://pdu-a.example:443"));
  assert.deepEqual(told(twice), ["18:20 SHARED-OUTLET"]);
  assert.match(what(twice), /already named on line 16/);
  const first = minimal.replace(
    "  - name: node2",
    `    pdu: [${outlet("A1")}, ${outlet("A2")}]\n  - name: node2`,
  );
  const shared = `${first}    pdu: ${outlet("A2")}\n`;
  assert.deepEqual(told(shared), ["16:21 SHARED-OUTLET"]);
  assert.match(what(shared), /take both machines down/);
  assert.deepEqual(told(listed(outlet("A1"), outlet("A1", "pdu-b.example"))), []);
});

test("an empty list, a long one, and what is no outlet are refused where they stand", () => {
  assert.deepEqual(told(fed("[]")), ["15:10 TYPE"]);
  assert.match(what(fed("[]")), /no outlet in it/);
  const many = Array.from({ length: outlets_max + 1 }, (_, index) => outlet(`A${index}`));
  assert.match(what(listed(...many)), /at most/);
  assert.deepEqual(told(listed(...many.slice(1))), []);
  assert.deepEqual(told(fed("A1")), ["15:10 TYPE"]);
  assert.match(what(fed("A1")), /or a list of such mappings/);
  assert.deepEqual(told(listed(outlet("A1"), "A2")), ["17:9 TYPE"]);
});

test("a fault within a list is told at its place, and not as one of the list", () => {
  const faults = listed(
    outlet("A1"),
    "{ address: pdu-a.example, credentials: { file: pdu.login } }",
    outlet("A3", "http://pdu-a.example"),
    `{ address: pdu-b.example, outlet: A4, credentials: { file: pdu.login } }`,
    outlet("A5").replace("outlet:", "outlt:"),
  );
  assert.deepEqual(told(faults), [
    "17:9 MISSING-KEY",
    "18:20 ENDPOINT",
    "19:43 REDFISH-PATH",
    "20:35 UNKNOWN-KEY",
  ]);
  const missing = listed("{ address: pdu-a.example, credentials: { file: pdu.login } }");
  assert.match(what(missing), /`outlet` is missing: this outlet must have it/);
});

test("a password in an outlet of a list is not repeated", () => {
  const text = listed(outlet("A1"), outlet("A2").replace("{ file: pdu.login }", "{ password: hunter2 }"));
  const { problems } = readSite(text, "site.yaml");
  assert.deepEqual(told(text), ["17:108 PASSWORD"]);
  assert.ok(!JSON.stringify(problems).includes("hunter2"));
});
