import assert from "node:assert/strict";
import { test } from "node:test";
import { readSite } from "../site/read.ts";
import { minimal } from "../site/samples.ts";
import type { Site } from "../site/site.ts";
import { addressOf, unheldAddress } from "./api-address.ts";
import { cibConfiguration } from "./cib.ts";
import { machineUnits } from "./machine.ts";
import { addressPolicy, addressScores } from "./policy.ts";

const kubernetes = "kubernetes: {}\n";
const api = "api: { address: 192.0.2.10 }\n";

function site(more: string, text: string = minimal): Site {
  const { site: read, problems } = readSite(`${text}${more}`, "site.yaml");
  assert.ok(read !== undefined, JSON.stringify(problems));
  return read;
}
const cib = (more: string) => cibConfiguration(site(more), new Map()).xml;
const units = (more: string): readonly string[] => {
  const read = site(more);
  const [machine] = read.machines;
  assert.ok(machine !== undefined);
  return machineUnits(read, machine).map(({ name }) => name);
};

test("without a control plane there is nothing to follow, and nothing is rendered; without an address only the watch", () => {
  assert.equal(cib(api), cib(""));
  assert.equal(cib(kubernetes), cib(""));
  assert.deepEqual(units(api), units(""));
  assert.ok(!units(api).includes("duet-api.service") && units(kubernetes).includes("duet-api.service"));
  assert.equal(addressOf(site(api)), undefined);
  assert.equal(addressOf(site(kubernetes + api)), "192.0.2.10");
});

test("an address is told of where nobody holds it, and nowhere else", () => {
  for (const more of ["", api, kubernetes, kubernetes + api]) {
    const read = site(more);
    const nobody = read.api !== undefined && addressOf(read) === undefined;
    assert.deepEqual(
      unheldAddress(read).map(({ code }) => code),
      nobody ? ["DUET-E-API-UNHELD"] : [],
      more,
    );
  }
});

test("with both the configuration has one address more, and all else is as it was", () => {
  const lines = (xml: string) => xml.split("\n").filter((line) => !line.includes("duet-configuration"));
  const before = new Set(lines(cib("")));
  const added = lines(cib(kubernetes + api)).filter((line) => !before.has(line));
  const own = /duet-api|heartbeat|<\/?(meta|instance)_attributes|<\/?operations|<\/?rule|<\/rsc_location/;
  for (const line of added) assert.match(line, own);
  assert.ok(added.some((line) => line.includes('name="ip" value="192.0.2.10"')));
});

test("nothing ties the address to etcd or to a service, in neither direction", () => {
  const xml = cib(kubernetes + api);
  const constraints = xml.slice(xml.indexOf("<constraints>"), xml.indexOf("</constraints>"));
  assert.doesNotMatch(constraints, /etcd|rsc_order|rsc_colocation|role=/);
  assert.equal(constraints.match(/rsc="duet-api"/g)?.length, 1);
});

test("a failed stop is blocked, or fenced where the site says so; all else is tried again in place", () => {
  const fails = (more: string) =>
    [...cib(kubernetes + api + more).matchAll(/id="duet-api-(\w+)" name="\w+" .* on-fail="(\w+)"/g)].map(
      ([, name, how]) => `${name} ${how}`,
    );
  assert.deepEqual(fails(""), ["start restart", "stop block", "monitor restart"]);
  assert.deepEqual(fails("fencing: { stop_failure: fence }\n"), [
    "start restart",
    "stop fence",
    "monitor restart",
  ]);
});

test("it moves to an API server that answers, and for nothing less", () => {
  const stickiness = Number(addressPolicy["resource-stickiness"].value);
  const [ready, probation, doubtful, lost] = [
    addressScores.ready.value,
    addressScores.probation.value,
    addressScores.doubtful.value,
    addressScores.lost.value,
  ];
  assert.ok(lost >= 0 && ready > doubtful + stickiness && ready < probation + stickiness);
  assert.ok(probation > lost + stickiness && probation < doubtful + stickiness);
  assert.ok(doubtful < lost + stickiness, "between two that don't answer nothing moves");
});
