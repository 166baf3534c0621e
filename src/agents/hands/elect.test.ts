import assert from "node:assert/strict";
import { test } from "node:test";
import { assertTold } from "../../../lab/testing-election.ts";
import { scratch, versions } from "../../../lab/etcd36/testing.ts";
import { makeCertificates, TlsEtcd } from "../../../lab/etcd36/testing-tls.ts";
import { done } from "../../act/effects.ts";
import { until } from "../../machine/clock.ts";
import { readIdentity } from "../../facts/identity.ts";
import { memberList, status } from "../../machine/etcd/client.ts";
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
          led: async (ms) => {
            const said = await status(a.endpoint, ms);
            return said.ok && said.value.leader !== undefined;
          },
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
      assertTold(await a.process.log());
    } finally {
      await a.process.kill();
      await b.process.kill();
    }
  });

test("an etcd that is told and has no leader is no success, and is not told for ever", async () => {
  const { answer, told } = await tellOne({ led: false });
  assert.ok(!answer.ok && /has no leader yet/.test(answer.failure.said));
  assert.ok(told > 1, `told ${told} times`);
});

test("who has a leader is told no more, and that it serves nobody all the same is no success", async () => {
  const { answer, told } = await tellOne({ led: true });
  assert.ok(!answer.ok && /serves nobody yet/.test(answer.failure.said));
  assert.ok(told <= 1, `told ${told} times`);
});

/** A busy box sleeps a tenth of a second where twenty milliseconds were asked for. */
const window_ms = 1_500;

async function tellOne({ led }: { readonly led: boolean }) {
  let told = 0;
  const tell = async () => {
    told += 1;
  };
  const answer = await elect({ tell, led: async () => led, serves: async () => false }, window_ms);
  return { answer, told };
}
