import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { clearFaults, parseFault, writeFault } from "../../lab/bmc/fault.ts";
import { bench, FakeMetal } from "../../lab/bmc/testing.ts";
import { until } from "../machine/clock.ts";
import { RedfishClient } from "./client.ts";
import type { Failure, Result } from "./failure.ts";
import { fakeService, serviceAt } from "./testing.ts";

const metal = new FakeMetal(true);
const lab = await bench({ metal });
after(() => lab[Symbol.asyncDispose]());
beforeEach(() => clearFaults(lab.folder));

const client = async (changes = {}) => new RedfishClient(await serviceAt(lab.bmc.port, changes));

function value<T>(result: Result<T>): T {
  assert.ok(result.ok, JSON.stringify(result));
  return result.value;
}

function failure(result: Result<unknown>): Failure {
  assert.ok(!result.ok, JSON.stringify(result));
  return result.failure;
}

test("the one System is found through the service root", async () => {
  const bmc = await client();
  assert.equal(value(await bmc.system()), "/redfish/v1/Systems/1");
  assert.match(value(await bmc.root()).version, /^1\./);
});

test("power is switched, and read back as the BMC tells it", async () => {
  const bmc = await client();
  assert.equal(value(await bmc.powerState()), "On");
  assert.equal(value(await bmc.reset("ForceOff")), "done");
  await until("Off", async () => value(await bmc.powerState()) === "Off", {
    deadline_ms: 5_000,
    every_ms: 10,
  });
  assert.equal(metal.powered, false);
  assert.equal(value(await bmc.reset("On")), "done");
  await until("On", async () => value(await bmc.powerState()) === "On", { deadline_ms: 5_000, every_ms: 10 });
});

test("a reset that the BMC does not offer is not sent", async () => {
  const refused = failure(await (await client()).reset("Explode"));
  assert.equal(refused.kind, "unsupported");
});

test("the tag is written where nobody wrote in between, and not where somebody did", async () => {
  const bmc = await client();
  const before = value(await bmc.readTag());
  assert.ok(before.etag !== undefined);
  assert.equal(value(await bmc.writeTag("duet:abc:1:node1", before.etag)), "done");
  const after = value(await bmc.readTag());
  assert.equal(after.tag, "duet:abc:1:node1");
  assert.notEqual(after.etag, before.etag);
  assert.deepEqual(failure(await bmc.writeTag("duet:abc:0:node2", before.etag)), { kind: "changed" });
  assert.equal(value(await bmc.readTag()).tag, "duet:abc:1:node1");
});

test("the manager is found, with its clock, and can be reset", async () => {
  const bmc = await client();
  const manager = value(await bmc.manager());
  assert.match(manager.path, /^\/redfish\/v1\/Managers\//);
  assert.ok(!Number.isNaN(Date.parse(manager.date ?? "")), manager.date);
  assert.equal(value(await bmc.resetManager("ForceRestart")), "done");
  await until("the BMC is back", async () => (await bmc.root()).ok, { deadline_ms: 5_000, every_ms: 20 });
});

const faulty: readonly (readonly [string, Failure["kind"]])[] = [
  ["unauthorized", "login"],
  ["server-error", "status"],
  ["hang-after-connect", "deadline"],
  ["hang-in-tls", "deadline"],
  ["drip", "deadline"],
];
for (const [fault, kind] of faulty)
  test(`a BMC with the fault ${fault} is told as ${kind}`, async () => {
    await writeFault(lab.folder, parseFault(fault));
    assert.equal(failure(await (await client({ deadline_ms: 300 })).powerState()).kind, kind);
  });

test("202 is not taken for done", async () => {
  const bmc = await client();
  value(await bmc.system());
  await writeFault(lab.folder, parseFault("accepted-no-effect"));
  assert.equal(value(await bmc.writeTag("duet:abc:9:node1")), "accepted");
  assert.equal(value(await bmc.reset("ForceOff")), "accepted");
});

test("a BMC that is not there is told with the reason", async () => {
  await using gone = await fakeService(() => ({}));
  const service = await serviceAt(gone.port);
  await gone[Symbol.asyncDispose]();
  assert.deepEqual(failure(await new RedfishClient(service).powerState()), {
    kind: "unreachable",
    why: "ECONNREFUSED",
  });
});

const root = { Systems: { "@odata.id": "/redfish/v1/Systems" } };
const members = (...paths: readonly string[]) => ({ Members: paths.map((path) => ({ "@odata.id": path })) });

test("among several Systems none is taken by chance; a named one is", async () => {
  const systems = ["/redfish/v1/Systems/a", "/redfish/v1/Systems/b"];
  await using fake = await fakeService(({ path }) =>
    path === "/redfish/v1/"
      ? { body: root }
      : { body: path.endsWith("Systems") ? members(...systems) : { PowerState: "Paused" } },
  );
  const service = await serviceAt(fake.port);
  assert.deepEqual(failure(await new RedfishClient(service).powerState()), {
    kind: "several-systems",
    systems,
  });
  const named = new RedfishClient({ ...service, system: "/redfish/v1/Systems/b" });
  // A state that is neither On nor Off is passed on, never rounded.
  assert.equal(value(await named.powerState()), "Paused");
});

test("a redirect within the service is followed, one to another host is not", async () => {
  await using other = await fakeService(() => ({ body: root }));
  await using fake = await fakeService(({ path }) => {
    if (path === "/redfish/v1/") return { status: 308, headers: { location: "/redfish/v1/home" } };
    if (path === "/redfish/v1/home") return { body: root };
    return { status: 307, headers: { location: `https://127.0.0.1:${other.port}/redfish/v1/Systems` } };
  });
  const bmc = new RedfishClient(await serviceAt(fake.port));
  assert.equal(value(await bmc.root()).systems, "/redfish/v1/Systems");
  assert.equal(failure(await bmc.system()).kind, "not-redfish");
  assert.deepEqual(other.asked, []);
});

test("a link to another host gets no credentials", async () => {
  await using other = await fakeService(() => ({ body: members() }));
  await using fake = await fakeService(() => ({
    body: { Systems: { "@odata.id": `//127.0.0.1:${other.port}/x` } },
  }));
  assert.equal(failure(await new RedfishClient(await serviceAt(fake.port)).system()).kind, "not-redfish");
  assert.deepEqual(other.asked, []);
});

test("endless redirects end", async () => {
  await using fake = await fakeService(() => ({ status: 302, headers: { location: "/redfish/v1/" } }));
  assert.equal(failure(await new RedfishClient(await serviceAt(fake.port)).root()).kind, "not-redfish");
  assert.ok(fake.asked.length <= 3);
});

for (const [name, body] of [
  ["a page", "<html>welcome</html>"],
  ["another JSON", { hello: "world" }],
  ["nothing", ""],
] as const)
  test(`${name} is not taken for Redfish`, async () => {
    await using fake = await fakeService(() => ({ body }));
    assert.equal(failure(await new RedfishClient(await serviceAt(fake.port)).root()).kind, "not-redfish");
  });

test("a BMC without an ETag or a tag is told as such", async () => {
  await using fake = await fakeService(({ path }) => ({
    body: path.endsWith("1") ? { AssetTag: null } : {},
  }));
  const at = async (system: string) => new RedfishClient(await serviceAt(fake.port, { system })).readTag();
  assert.deepEqual(value(await at("/redfish/v1/Systems/1")), { tag: null });
  assert.equal(failure(await at("/redfish/v1/Systems/2")).kind, "unsupported");
});
