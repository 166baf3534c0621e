import assert from "node:assert/strict";
import { test } from "node:test";
import { scratch, versions } from "../../../lab/etcd36/testing.ts";
import { makeCertificates, TlsEtcd } from "../../../lab/etcd36/testing-tls.ts";
import { done } from "../../act/effects.ts";
import { until } from "../../machine/clock.ts";
import { readIdentity } from "../../facts/identity.ts";
import { memberList } from "../../machine/etcd/client.ts";
import { elect, electionTeller } from "./elect.ts";

const told_ms = 20_000;
/** Of an etcd that would not begin an election by itself before the test has given it up. */
const sleepy = ["--heartbeat-interval=5000", `--election-timeout=${2 * told_ms + 10_000}`];

for (const etcd of await versions())
  test(`etcd ${etcd.version}, forced to be alone, leads as soon as it is told to`, async () => {
    await using folder = await scratch();
    const files = await makeCertificates(folder.path);
    const a = await TlsEtcd.create(etcd, "a", folder.path, files);
    const b = await TlsEtcd.create(etcd, "b", folder.path, files);
    const read = async (ms: number) => (await memberList(a.endpoint, ms)).ok;
    try {
      const both = [a, b].map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(",");
      for (const each of [a, b]) each.start([`--initial-cluster=${both}`]);
      await until("the two serve", () => read(5_000), { deadline_ms: told_ms });
      await b.process.kill();
      await a.process.kill();

      a.start(["--force-new-cluster", ...sleepy]);
      const answer = await elect(
        {
          tell: electionTeller({ ...a.endpoint, url: a.peerUrl }, readIdentity(a.process.folder)),
          serves: read,
        },
        told_ms,
      );
      assert.deepEqual(answer, done);
      const listed = await memberList(a.endpoint, 5_000);
      assert.ok(listed.ok);
      const { memberId } = readIdentity(a.process.folder);
      assert.deepEqual(
        listed.value.map(({ id }) => id),
        [memberId.toString(16)],
      );
      assert.match(await a.process.log(), /MsgTimeoutNow from .* and starts an election/);
    } finally {
      await a.process.kill();
      await b.process.kill();
    }
  });

test("an etcd that is told and serves nobody is no success, and is not told for ever", async () => {
  let told = 0;
  const answer = await elect(
    {
      tell: async () => {
        told += 1;
      },
      serves: async () => false,
    },
    150,
  );
  assert.equal(answer.ok, false);
  assert.ok(told > 1, `told ${told} times`);
});
