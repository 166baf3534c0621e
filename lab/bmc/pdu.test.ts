import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Secret } from "../../src/base/secret.ts";
import { until } from "../../src/machine/clock.ts";
import { clearFaults, parseFault, writeFault } from "./fault.ts";
import { startPdu } from "./pdu.ts";
import { call, FakeFeed, password, testTls, username } from "./testing.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-pdu-"));
const feeds = new Map([
  ["node1", new FakeFeed()],
  ["node2", new FakeFeed()],
]);
const pdu = await startPdu(
  {
    name: "pdu",
    host: "127.0.0.1",
    port: 0,
    tls: await testTls(),
    folder,
    credentials: { username, password: new Secret(password) },
    times: { off_ms: 0, on_ms: 0 },
  },
  feeds,
);
after(async () => {
  await pdu.close();
  await rm(folder, { recursive: true });
});

const outlet = (name: string) => `/redfish/v1/PowerEquipment/RackPDUs/1/Outlets/${name}`;
const control = async (name: string, state: string): Promise<number> =>
  (
    await call(pdu.port, "POST", `${outlet(name)}/Actions/Outlet.PowerControl`, {
      body: { PowerState: state },
    })
  ).status;
const reach = (name: string, state: string) =>
  until(
    `${name} is ${state}`,
    async () => (await call(pdu.port, "GET", outlet(name))).json["PowerState"] === state,
    { deadline_ms: 5_000, every_ms: 5 },
  );

test("an outlet goes off and on, and its neighbour does not notice", async () => {
  await reach("node1", "On");
  assert.equal(await control("node1", "Off"), 204);
  await reach("node1", "Off");
  assert.equal(feeds.get("node1")?.powered, false);
  assert.equal(feeds.get("node2")?.powered, true);
  assert.equal(await control("node1", "Off"), 204);
  assert.equal(await control("node1", "On"), 204);
  await reach("node1", "On");
});

test("a cycle ends on, also from off", async () => {
  assert.equal(await control("node2", "Off"), 204);
  await reach("node2", "Off");
  assert.equal(await control("node2", "PowerCycle"), 204);
  await reach("node2", "On");
  assert.equal(await control("node2", "PowerCycle"), 204);
  await reach("node2", "On");
});

test("an outlet that is not there, and a state that is none, are refused", async () => {
  assert.equal((await call(pdu.port, "GET", outlet("node3"))).status, 404);
  assert.equal(await control("node1", "Sideways"), 400);
});

test("a PDU has the faults of a BMC", async () => {
  await writeFault(folder, parseFault("lies"));
  assert.equal(await control("node1", "Off"), 204);
  assert.equal((await call(pdu.port, "GET", outlet("node1"))).json["PowerState"], "On");
  await clearFaults(folder);
});

test("it has no system to reset", async () => {
  assert.equal((await call(pdu.port, "GET", "/redfish/v1/Systems")).status, 404);
});
