import assert from "node:assert/strict";
import { test } from "node:test";
import { RedfishClient } from "./client.ts";
import { problemOf } from "./failure.ts";
import { fakeService, fingerprintTrust, serviceAt } from "./testing.ts";

const root = { Systems: { "@odata.id": "/redfish/v1/Systems" } };

test("a certificate is trusted by its authority, by its fingerprint, or not looked at", async () => {
  await using fake = await fakeService(() => ({ body: root }));
  for (const changes of [{}, { trust: await fingerprintTrust() }, { trust: { by: "nothing" } as const }]) {
    const result = await new RedfishClient(await serviceAt(fake.port, changes)).root();
    assert.ok(result.ok, JSON.stringify({ changes, result }));
  }
});

test("another fingerprint ends the call before a byte of the request is sent", async () => {
  await using fake = await fakeService(() => ({ body: root }));
  const trust = { by: "fingerprint", sha256: "0".repeat(64) } as const;
  const result = await new RedfishClient(await serviceAt(fake.port, { trust })).root();
  assert.ok(!result.ok && result.failure.kind === "untrusted");
  assert.equal(result.failure.sha256, (await fingerprintTrust()).sha256);
  assert.deepEqual(fake.asked, []);
});

test("a certificate that the system's store does not know is refused, with the fingerprint to write down", async () => {
  await using fake = await fakeService(() => ({ body: root }));
  const result = await new RedfishClient(await serviceAt(fake.port, { trust: { by: "system" } })).root();
  assert.ok(!result.ok && result.failure.kind === "untrusted");
  assert.equal(result.failure.sha256, (await fingerprintTrust()).sha256);
  assert.deepEqual(fake.asked, []);
  const problem = problemOf(result.failure, "node1");
  assert.ok(problem.fix.includes((await fingerprintTrust()).sha256));
});

test("a certificate for another name is refused", async () => {
  await using fake = await fakeService(() => ({ body: root }));
  const service = await serviceAt(fake.port);
  const result = await new RedfishClient({
    ...service,
    url: service.url.replace("127.0.0.1", "localhost"),
  }).root();
  assert.ok(!result.ok && result.failure.kind === "untrusted", JSON.stringify(result));
  assert.deepEqual(fake.asked, []);
});
