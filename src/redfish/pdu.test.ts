import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startPdu } from "../../lab/bmc/pdu.ts";
import { FakeFeed, password, testTls, username } from "../../lab/bmc/testing.ts";
import { until } from "../machine/clock.ts";
import { late } from "./client.ts";
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

const target = `${outlet}/Actions/Outlet.PowerControl`;
const bodyWith = (at: string) => ({ PowerState: "On", Actions: { "#Outlet.PowerControl": { target: at } } });

test("where the command goes is found without a change", async () => {
  await using fake = await fakeService(kit, () => ({ body: bodyWith(target) }));
  const client = new OutletClient({ ...serviceAt(kit, fake.port), outlet });
  assert.equal(client.found, undefined);
  assert.deepEqual(await client.target(), { ok: true, value: target });
  assert.ok((await client.powerState()).ok);
  assert.equal(client.found, target);
  assert.ok(fake.asked.every(({ method }) => method === "GET"));
});

test("what is known of it saves the call that looks for it, and what has moved is looked for anew", async () => {
  await using fake = await fakeService(kit, ({ method, path }) =>
    method === "POST" && path !== target ? { status: 404 } : { body: bodyWith(target) },
  );
  const asked = async (known: string) => {
    const before = fake.asked.length;
    const client = new OutletClient({ ...serviceAt(kit, fake.port), outlet });
    assert.ok((await client.power("Off", { known })).ok);
    return fake.asked.slice(before).map(({ method, path }) => `${method} ${path}`);
  };
  assert.deepEqual(await asked(target), [`POST ${target}`]);
  assert.deepEqual(await asked("/redfish/v1/old"), [
    "POST /redfish/v1/old",
    `GET ${outlet}`,
    `POST ${target}`,
  ]);
});

test("a command that would go out too late is not sent, known or not", async () => {
  await using fake = await fakeService(kit, () => ({ body: bodyWith(target) }));
  for (const known of [target, undefined]) {
    const client = new OutletClient({ ...serviceAt(kit, fake.port), outlet });
    assert.equal(await client.power("Off", { known, inTime: () => false }), late);
  }
  assert.deepEqual(
    fake.asked.map(({ method }) => method),
    ["GET"],
  );
});

test("an outlet that can't be switched says so", async () => {
  await using fake = await fakeService(kit, () => ({ body: { PowerState: "On" } }));
  const result = await new OutletClient({ ...serviceAt(kit, fake.port), outlet }).power("Off");
  assert.ok(!result.ok && result.failure.kind === "unsupported");
});
