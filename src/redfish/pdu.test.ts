import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startPdu } from "../../lab/bmc/pdu.ts";
import { FakeFeed, password, testTls, username } from "../../lab/bmc/testing.ts";
import { until } from "../machine/clock.ts";
import { OutletClient } from "./pdu.ts";
import { fakeService, serviceAt } from "./testing.ts";

const kit = { tls: await testTls(), login: { username, password } };
const outlet = "/redfish/v1/PowerEquipment/RackPDUs/1/Outlets/node1";

test("an outlet is switched and read back", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-pdu-"));
  const feed = new FakeFeed();
  const { credentials } = serviceAt(kit, 0);
  const config = { name: "pdu", host: "127.0.0.1", port: 0, tls: await testTls(), folder, credentials };
  const pdu = await startPdu({ ...config, times: { off_ms: 0, on_ms: 0 } }, new Map([["node1", feed]]));
  try {
    const client = new OutletClient({ ...serviceAt(kit, pdu.port), outlet });
    assert.deepEqual(await client.powerState(), { ok: true, value: "On" });
    assert.ok((await client.power("Off")).ok);
    await until("Off", async () => !feed.powered, { deadline_ms: 5_000, every_ms: 10 });
    const state = await client.powerState();
    assert.ok(state.ok && state.value === "Off", JSON.stringify(state));
  } finally {
    await pdu.close();
    await rm(folder, { recursive: true });
  }
});

test("where the command goes is found without a change", async () => {
  const target = `${outlet}/Actions/Outlet.PowerControl`;
  const body = { PowerState: "On", Actions: { "#Outlet.PowerControl": { target } } };
  await using fake = await fakeService(kit, () => ({ body }));
  const client = new OutletClient({ ...serviceAt(kit, fake.port), outlet });
  assert.deepEqual(await client.target(), { ok: true, value: target });
  assert.ok(fake.asked.every(({ method }) => method === "GET"));
  assert.ok((await client.send("Off", target)).ok);
  assert.equal(fake.asked.at(-1)?.method, "POST");
});

test("an outlet that can't be switched says so", async () => {
  await using fake = await fakeService(kit, () => ({ body: { PowerState: "On" } }));
  const result = await new OutletClient({ ...serviceAt(kit, fake.port), outlet }).power("Off");
  assert.ok(!result.ok && result.failure.kind === "unsupported");
});
