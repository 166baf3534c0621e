import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpsServer } from "node:https";
import { createServer, type Server } from "node:net";
import { test } from "node:test";
import { scratch, versions } from "../../../lab/etcd36/testing.ts";
import { loadCertificates, makeCertificates, TlsEtcd } from "../../../lab/etcd36/testing-tls.ts";
import { now_ms, until } from "../clock.ts";
import * as etcd from "./client.ts";
import { failureOfAnswer } from "./failure.ts";

const call_ms = 5_000;

async function kindOf<T>(result: Promise<etcd.Result<T>>): Promise<string> {
  const found = await result;
  return found.ok ? "ok" : found.failure.kind;
}

async function listed(at: etcd.Endpoint, key: string): Promise<readonly etcd.Kv[]> {
  const found = await etcd.range(at, { key, read: "linearizable" }, call_ms);
  assert.ok(found.ok);
  return found.value;
}

for (const version of await versions())
  test(`etcd ${version.version}: reads and writes, and who is let in`, async () => {
    await using folder = await scratch();
    const files = await makeCertificates(folder.path);
    const a = await TlsEtcd.create(version, "a", folder.path, files);
    const at = a.endpoint;
    try {
      a.startFirst();
      await until("it serves", async () => (await etcd.memberList(at, call_ms)).ok, { deadline_ms: 30_000 });
      const [status, members] = [await etcd.status(at, call_ms), await etcd.memberList(at, call_ms)];
      assert.ok(status.ok && members.ok);
      const [only, ...rest] = members.value;
      assert.deepEqual(rest, []);
      assert.deepEqual(only, {
        id: status.value.memberId,
        name: "a",
        peerUrls: [a.peerUrl],
        isLearner: false,
      });
      assert.equal(status.value.leader, status.value.memberId);
      assert.match(status.value.version, new RegExp(`^${version.version}\\.`));
      assert.match(status.value.memberId, /^[0-9a-f]{1,16}$/);
      assert.ok(status.value.db_bytes > 0 && status.value.applied > 0);

      assert.ok((await etcd.put(at, "a/1", "één", call_ms)).ok);
      assert.ok((await etcd.put(at, "a/2", "", call_ms)).ok);
      for (const read of ["linearizable", "serializable"] as const) {
        const found = await etcd.range(at, { key: "a/", until: "a0", read }, call_ms);
        assert.ok(found.ok);
        assert.deepEqual(
          found.value.map(({ key, value }) => [key, value]),
          [
            ["a/1", "één"],
            ["a/2", ""],
          ],
        );
        const one = await etcd.range(at, { key: "a/", until: "a0", limit: 1, read }, call_ms);
        assert.ok(one.ok && one.value.length === 1);
        const health = await etcd.health(at, read, call_ms);
        assert.deepEqual(health, { ok: true, value: { healthy: true, reason: "" } });
      }
      assert.deepEqual(await etcd.deleteKey(at, "a/1", call_ms), { ok: true, value: 1 });
      assert.deepEqual(await etcd.deleteKey(at, "a/1", call_ms), { ok: true, value: 0 });
      const [seen] = await listed(at, "a/2");
      assert.ok(seen !== undefined && (await etcd.put(at, "a/2", "anew", call_ms)).ok);
      assert.deepEqual(await etcd.deleteIfUnchanged(at, seen, call_ms), { ok: true, value: false });
      const [anew] = await listed(at, "a/2");
      assert.ok(anew !== undefined);
      assert.deepEqual(await etcd.deleteIfUnchanged(at, anew, call_ms), { ok: true, value: true });
      assert.deepEqual(await listed(at, "a/2"), []);

      const strange = await loadCertificates(await makeCertificates(folder.path, "strange"));
      const untrusted = { ...at, tls: { ...at.tls, ca: strange.ca } };
      assert.equal(await kindOf(etcd.status(untrusted, call_ms)), "unreachable");
      const stranger = { ...at, tls: { ...strange, ca: at.tls.ca } };
      assert.equal(await kindOf(etcd.status(stranger, call_ms)), "unreachable");
      assert.equal(await kindOf(etcd.health(stranger, "serializable", call_ms)), "unreachable");
      const elsewhere = { ...at, url: at.url.replace("127.0.0.1", "127.0.0.2") };
      assert.equal(await kindOf(etcd.status(elsewhere, call_ms)), "unreachable");
    } finally {
      await a.process.kill();
    }
    assert.equal(await kindOf(etcd.status(at, call_ms)), "unreachable");
  });

async function portOf(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

test("every call ends: with a handshake that never comes, an answer that never comes, and one that drips", async () => {
  await using folder = await scratch();
  const tls = await loadCertificates(await makeCertificates(folder.path));
  const silent = createServer(() => {});
  const mute = createHttpsServer(tls, () => {});
  const drip = createHttpsServer(tls, (_, response) => {
    const timer = setInterval(() => response.write(" "), 100);
    response.on("close", () => clearInterval(timer));
  });
  try {
    for (const server of [silent, mute, drip]) {
      const at = { url: `https://127.0.0.1:${await portOf(server)}`, tls };
      const begin_ms = now_ms();
      assert.equal(await kindOf(etcd.status(at, 500)), "deadline");
      assert.ok(now_ms() - begin_ms >= 490, "not before its time");
    }
  } finally {
    silent.close();
    for (const server of [mute, drip]) {
      server.closeAllConnections();
      server.close();
    }
  }
});

test("what does not answer as etcd does is no etcd", async () => {
  await using folder = await scratch();
  const tls = await loadCertificates(await makeCertificates(folder.path));
  let answer = { status: 200, body: "" };
  const server = createHttpsServer(tls, (_, response) => {
    response.writeHead(answer.status).end(answer.body);
  });
  const at = { url: `https://127.0.0.1:${await portOf(server)}`, tls };
  const member = (id: string) => `{"header":{"cluster_id":"1","member_id":"2"},"members":[{"ID":${id}}]}`;
  try {
    for (const body of ["", "[]", "{}", "<html>", member("17"), member('"-1"'), member('"0x1"')]) {
      answer = { status: 200, body };
      assert.equal(await kindOf(etcd.memberList(at, call_ms)), "answer", body);
    }
    for (const status of [302, 404, 500]) {
      answer = { status, body: "<html>" };
      assert.equal(await kindOf(etcd.put(at, "key", "value", call_ms)), "answer");
    }
    // The largest id that there is, exactly.
    answer = { status: 200, body: member('"18446744073709551615"') };
    const members = await etcd.memberList(at, call_ms);
    assert.ok(members.ok);
    assert.equal(members.value[0]?.id, "ffffffffffffffff");
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("etcd's own words are told apart", () => {
  const of = (message: string, code = 9) => {
    const { kind, reason } = failureOfAnswer(400, JSON.stringify({ code, message, details: [] }));
    return `${kind} ${reason}`;
  };
  assert.equal(of("etcdserver: not leader"), "refused not-leader");
  assert.equal(of("etcdserver: no leader", 14), "refused no-leader");
  assert.equal(of("etcdserver: unhealthy cluster", 14), "refused unhealthy");
  assert.equal(
    of("etcdserver: can only promote a learner member which is in sync with leader"),
    "refused learner-not-ready",
  );
  assert.equal(of("etcdserver: can only promote a learner member"), "refused not-a-learner");
  assert.equal(of("etcdserver: rpc not supported for learner", 14), "refused is-learner");
  assert.equal(of("etcdserver: something new"), "refused undefined");
  // It may have happened, or happen yet.
  assert.equal(of("etcdserver: server stopped", 14), "unsure stopped");
  assert.equal(of("etcdserver: leader changed", 14), "unsure leader-changed");
  assert.equal(
    of("etcdserver: request timed out, possibly due to previous leader failure", 14),
    "unsure timed-out",
  );
  assert.equal(of("context deadline exceeded", 4), "unsure timed-out");
  assert.equal(of("connection error: desc = transport", 14), "unreachable undefined");
  // As 3.5 says it.
  const old = failureOfAnswer(404, '{"error":"etcdserver: member not found","code":5}');
  assert.deepEqual([old.kind, old.reason], ["refused", "member-not-found"]);
});
