import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, beforeEach, test } from "node:test";
import { clearFaults, parseFault, writeFault } from "../../lab/bmc/fault.ts";
import { bench, FakeMetal, password, testTls, username } from "../../lab/bmc/testing.ts";
import { until } from "../machine/clock.ts";
import { type KnownSystem, RedfishClient } from "./client.ts";
import type { Failure, Result } from "./failure.ts";
import { fakeService, serviceAt } from "./testing.ts";

const kit = { tls: await testTls(), login: { username, password } };
const metal = new FakeMetal(true);
const lab = await bench({ metal });
after(() => lab[Symbol.asyncDispose]());
beforeEach(() => clearFaults(lab.folder));

const client = (changes = {}) => new RedfishClient(serviceAt(kit, lab.bmc.port, changes));

function value<T>(result: Result<T>): T {
  assert.ok(result.ok, JSON.stringify(result));
  return result.value;
}

function failure(result: Result<unknown>): Failure {
  assert.ok(!result.ok, JSON.stringify(result));
  return result.failure;
}

test("the one System is found through the service root", async () => {
  const bmc = client();
  assert.equal(value(await bmc.system()), "/redfish/v1/Systems/1");
  assert.match(value(await bmc.root()).version, /^1\./);
});

test("power is switched, and read back as the BMC tells it", async () => {
  const bmc = client();
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
  const refused = failure(await client().reset("Explode"));
  assert.equal(refused.kind, "unsupported");
});

test("the tag is written where nobody wrote in between, and not where somebody did", async () => {
  const bmc = client();
  const before = value(await bmc.readTag());
  assert.ok(before.etag !== undefined);
  assert.equal(value(await bmc.writeTag("duet:abc:1:node1", before.etag)), "done");
  const after = value(await bmc.readTag());
  assert.equal(after.tag, "duet:abc:1:node1");
  assert.notEqual(after.etag, before.etag);
  assert.deepEqual(failure(await bmc.writeTag("duet:abc:0:node2", before.etag)), { kind: "changed" });
  assert.equal(value(await bmc.readTag()).tag, "duet:abc:1:node1");
});

test("the manager is found, and can be reset", async () => {
  const bmc = client();
  const manager = value(await bmc.manager());
  assert.match(manager.path, /^\/redfish\/v1\/Managers\//);
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
    assert.equal(failure(await client({ deadline_ms: 300 }).powerState()).kind, kind);
  });

test("202 is not taken for done", async () => {
  const bmc = client();
  value(await bmc.system());
  await writeFault(lab.folder, parseFault("accepted-no-effect"));
  assert.equal(value(await bmc.writeTag("duet:abc:9:node1")), "accepted");
  assert.equal(value(await bmc.reset("ForceOff")), "accepted");
});

test("a BMC that is not there is told with the reason", async () => {
  await using gone = await fakeService(kit, () => ({}));
  const service = serviceAt(kit, gone.port);
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
  await using fake = await fakeService(kit, ({ path }) =>
    path === "/redfish/v1/"
      ? { body: root }
      : { body: path.endsWith("Systems") ? members(...systems) : { PowerState: "Paused" } },
  );
  const service = serviceAt(kit, fake.port);
  assert.deepEqual(failure(await new RedfishClient(service).powerState()), {
    kind: "several-systems",
    systems,
  });
  const named = new RedfishClient({ ...service, system: "/redfish/v1/Systems/b" });
  // A state that is neither On nor Off is passed on, never rounded.
  assert.equal(value(await named.powerState()), "Paused");
});

/** A BMC whose one System is where a test says, and can be switched. */
async function movable(at: { path: string }) {
  return await fakeService(kit, ({ method, path }) => {
    if (path === "/redfish/v1/") return { body: root };
    if (path.endsWith("Systems")) return { body: members(at.path) };
    if (method === "POST") return { status: path.startsWith(at.path) ? 204 : 404 };
    if (path !== at.path) return { status: 404, body: {} };
    return {
      body: { PowerState: "On", Actions: { "#ComputerSystem.Reset": { target: `${at.path}/reset` } } },
    };
  });
}

test("what an earlier client found costs no call; what has moved since is looked for anew", async () => {
  const at = { path: "/redfish/v1/Systems/a" };
  await using fake = await movable(at);
  let known: KnownSystem | undefined;
  const calls = async (ask: (bmc: RedfishClient) => Promise<Result<unknown>>): Promise<readonly string[]> => {
    const before = fake.asked.length;
    const found = (system: KnownSystem) => void (known = system);
    const changes = { found, ...(known === undefined ? {} : { known }) };
    value(await ask(new RedfishClient(serviceAt(kit, fake.port, changes))));
    return fake.asked.slice(before).map(({ method, path }) => `${method} ${path}`);
  };
  const search = ["GET /redfish/v1/", "GET /redfish/v1/Systems"];
  assert.deepEqual(await calls((bmc) => bmc.powerState()), [...search, `GET ${at.path}`]);
  assert.deepEqual(known, { path: at.path, reset: { target: `${at.path}/reset` } });
  assert.deepEqual(await calls((bmc) => bmc.powerState()), [`GET ${at.path}`]);
  assert.deepEqual(await calls((bmc) => bmc.reset("ForceOff")), [`POST ${at.path}/reset`]);
  const before = at.path;
  at.path = "/redfish/v1/Systems/b";
  assert.deepEqual(await calls((bmc) => bmc.reset("ForceOff")), [
    `POST ${before}/reset`,
    `GET ${before}`,
    ...search,
    `GET ${at.path}`,
    `POST ${at.path}/reset`,
  ]);
  assert.deepEqual(await calls((bmc) => bmc.powerState()), [`GET ${at.path}`]);
});

test("a System that the site file names is not looked for, and what is known of another is not used", async () => {
  const at = { path: "/redfish/v1/Systems/a" };
  await using fake = await movable(at);
  const known = { path: "/redfish/v1/Systems/b", reset: { target: "/redfish/v1/Systems/b/reset" } };
  const named = (system: string) => new RedfishClient(serviceAt(kit, fake.port, { system, known }));
  assert.equal(value(await named(at.path).reset("ForceOff")), "done");
  assert.deepEqual(
    fake.asked.map(({ method, path }) => `${method} ${path}`),
    [`GET ${at.path}`, `POST ${at.path}/reset`],
  );
  assert.deepEqual(failure(await named("/redfish/v1/Systems/c").powerState()).kind, "status");
});

test("a reset that would go out too late is not sent", async () => {
  const at = { path: "/redfish/v1/Systems/a" };
  await using fake = await movable(at);
  const known = { path: at.path, reset: { target: `${at.path}/reset` } };
  const knowing = new RedfishClient(serviceAt(kit, fake.port, { known }));
  assert.equal(failure(await knowing.reset("ForceOff", () => false)).kind, "deadline");
  assert.deepEqual(fake.asked, [], "what is known is no reason to be late");
  const late = await new RedfishClient(serviceAt(kit, fake.port)).reset("ForceOff", () => false);
  assert.equal(failure(late).kind, "deadline");
  assert.ok(fake.asked.every(({ method }) => method === "GET"));
});

test("a redirect within the service is followed, one to another host is not", async () => {
  await using other = await fakeService(kit, () => ({ body: root }));
  await using fake = await fakeService(kit, ({ path }) => {
    if (path === "/redfish/v1/") return { status: 308, headers: { location: "/redfish/v1/home" } };
    if (path === "/redfish/v1/home") return { body: root };
    return { status: 307, headers: { location: `https://127.0.0.1:${other.port}/redfish/v1/Systems` } };
  });
  const bmc = new RedfishClient(serviceAt(kit, fake.port));
  assert.equal(value(await bmc.root()).systems, "/redfish/v1/Systems");
  assert.equal(failure(await bmc.system()).kind, "not-redfish");
  assert.deepEqual(other.asked, []);
});

test("a link to another host gets no credentials", async () => {
  await using other = await fakeService(kit, () => ({ body: members() }));
  await using fake = await fakeService(kit, () => ({
    body: { Systems: { "@odata.id": `//127.0.0.1:${other.port}/x` } },
  }));
  assert.equal(failure(await new RedfishClient(serviceAt(kit, fake.port)).system()).kind, "not-redfish");
  assert.deepEqual(other.asked, []);
});

test("endless redirects end", async () => {
  await using fake = await fakeService(kit, () => ({ status: 302, headers: { location: "/redfish/v1/" } }));
  assert.equal(failure(await new RedfishClient(serviceAt(kit, fake.port)).root()).kind, "not-redfish");
  assert.ok(fake.asked.length <= 3);
});

for (const [name, body] of [
  ["a page", "<html>welcome</html>"],
  ["another JSON", { hello: "world" }],
  ["nothing", ""],
] as const)
  test(`${name} is not taken for Redfish`, async () => {
    await using fake = await fakeService(kit, () => ({ body }));
    assert.equal(failure(await new RedfishClient(serviceAt(kit, fake.port)).root()).kind, "not-redfish");
  });

test("a BMC without an ETag or a tag is told as such", async () => {
  await using fake = await fakeService(kit, ({ path }) => ({
    body: path.endsWith("1") ? { AssetTag: null } : {},
  }));
  const at = async (system: string) => new RedfishClient(serviceAt(kit, fake.port, { system })).readTag();
  assert.deepEqual(value(await at("/redfish/v1/Systems/1")), { tag: null });
  assert.equal(failure(await at("/redfish/v1/Systems/2")).kind, "unsupported");
});

test("a manager's clock is passed on where it has one", async () => {
  const manager = "/redfish/v1/Managers/1";
  await using fake = await fakeService(kit, ({ path }) => ({
    body:
      path === manager
        ? { DateTime: "2024-05-06T07:08:09Z" }
        : { Links: { ManagedBy: [{ "@odata.id": manager }] } },
  }));
  const bmc = new RedfishClient(serviceAt(kit, fake.port, { system: "/redfish/v1/Systems/1" }));
  assert.deepEqual(value(await bmc.manager()), { path: manager, date: "2024-05-06T07:08:09Z" });
});

test("a web server without Redfish, and a port without TLS, are told as such", async () => {
  await using fake = await fakeService(kit, () => ({ status: 404, body: "nothing here" }));
  assert.equal(failure(await new RedfishClient(serviceAt(kit, fake.port)).root()).kind, "not-redfish");
  const plain = createServer((_request, response) => response.end("hello"));
  await new Promise<void>((resolve) => {
    plain.listen(0, "127.0.0.1", resolve);
  });
  const address = plain.address();
  assert.ok(address !== null && typeof address === "object");
  const told = failure(await new RedfishClient(serviceAt(kit, address.port)).root());
  await new Promise((resolve) => plain.close(resolve));
  assert.deepEqual(told, { kind: "not-redfish", why: "it does not speak TLS on this port" });
});
