import assert from "node:assert/strict";
import { test } from "node:test";
import { password, testTls, username } from "../../lab/bmc/testing.ts";
import { RedfishClient } from "./client.ts";
import { problemOf } from "./failure.ts";
import { fakeService, fingerprintOf, serviceAt } from "./testing.ts";

const kit = { tls: await testTls(), login: { username, password } };
const root = { Systems: { "@odata.id": "/redfish/v1/Systems" } };

test("a certificate is trusted by its authority, by its fingerprint, or not looked at", async () => {
  await using fake = await fakeService(kit, () => ({ body: root }));
  for (const changes of [
    {},
    { trust: { by: "fingerprint", sha256: fingerprintOf(kit) } as const },
    { trust: { by: "nothing" } as const },
  ]) {
    const result = await new RedfishClient(serviceAt(kit, fake.port, changes)).root();
    assert.ok(result.ok, JSON.stringify({ changes, result }));
  }
});

test("another fingerprint ends the call before a byte of the request is sent", async () => {
  await using fake = await fakeService(kit, () => ({ body: root }));
  const trust = { by: "fingerprint", sha256: "0".repeat(64) } as const;
  const result = await new RedfishClient(serviceAt(kit, fake.port, { trust })).root();
  assert.ok(!result.ok && result.failure.kind === "untrusted");
  assert.equal(result.failure.sha256, fingerprintOf(kit));
  assert.deepEqual(fake.asked, []);
});

test("a certificate that the system's store does not know is refused, with the fingerprint to write down", async () => {
  await using fake = await fakeService(kit, () => ({ body: root }));
  const result = await new RedfishClient(serviceAt(kit, fake.port, { trust: { by: "system" } })).root();
  assert.ok(!result.ok && result.failure.kind === "untrusted");
  assert.equal(result.failure.sha256, fingerprintOf(kit));
  assert.deepEqual(fake.asked, []);
  const problem = problemOf(result.failure, "node1");
  assert.ok(problem.fix.includes(fingerprintOf(kit)));
  assert.match(problem.fix, /openssl s_client -connect .*trust: \{ ca: bmc\.crt \}.*trust: \{ fingerprint: /);
});

test("a certificate for another name is refused", async () => {
  await using fake = await fakeService(kit, () => ({ body: root }));
  const service = serviceAt(kit, fake.port);
  const result = await new RedfishClient({
    ...service,
    url: service.url.replace("127.0.0.1", "localhost"),
  }).root();
  assert.ok(!result.ok && result.failure.kind === "untrusted", JSON.stringify(result));
  // Saving it would not help: it names another host.
  const { fix } = problemOf(result.failure, "node1");
  assert.match(fix, /a certificate that names this address/);
  assert.ok(fix.includes(`trust: { fingerprint: "${fingerprintOf(kit)}" }`), fix);
  assert.deepEqual(fake.asked, []);
});
