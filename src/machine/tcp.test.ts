import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { scratch, versions } from "../../lab/etcd36/testing.ts";
import { makeCertificates, TlsEtcd } from "../../lab/etcd36/testing-tls.ts";
import { until } from "./clock.ts";
import { memberList } from "./etcd/client.ts";
import { tryConnect } from "./tcp.ts";

for (const version of await versions())
  test(`etcd ${version.version} is asked whether it is there, and its log does not tell of it`, async () => {
    await using folder = await scratch();
    const etcd = await TlsEtcd.create(version, "a", folder.path, await makeCertificates(folder.path));
    const { url, tls } = etcd.endpoint;
    const { hostname, port } = new URL(url);
    const rejected = async () => (await etcd.process.log()).split("rejected connection").length - 1;
    try {
      etcd.startFirst();
      await until("it serves", async () => (await memberList(etcd.endpoint, 5_000)).ok, {
        deadline_ms: 30_000,
      });
      const before = await rejected();
      assert.ok((await tryConnect(hostname, Number(port), 5_000, tls)).ok);
      assert.ok((await tryConnect(hostname, Number(port), 5_000)).ok);
      // 3.6 tells of neither.
      const told = version.version === "3.5" ? 1 : 0;
      await until("it tells of the second", async () => (await rejected()) >= before + told, {
        deadline_ms: 10_000,
      });
      assert.equal(await rejected(), before + told);
    } finally {
      await etcd.process.kill();
    }
  });

test("who accepts and says nothing has not let in", async () => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  try {
    assert.ok((await tryConnect("127.0.0.1", address.port, 1_000)).ok);
    const made = await tryConnect("127.0.0.1", address.port, 200, {});
    assert.ok(!made.ok && /no answer within 200 ms/.test(made.why), JSON.stringify(made));
  } finally {
    server.close();
  }
});
