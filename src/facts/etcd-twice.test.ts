import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { EtcdProcess } from "../../lab/etcd36/process.ts";
import { factsAsEtcd, memberId, oracleOf, Pair, scratch, versions } from "../../lab/etcd36/testing.ts";
import { sleep } from "../machine/clock.ts";
import { writeCommitRecord } from "./commit-record.ts";

const [newest, ...others] = await versions();
const callers = 24;
const rounds = 2;

for (const etcd of [newest, ...others]) {
  test(`etcd ${etcd.version}: a promotion that was asked for many times is one promotion`, async (t) => {
    await using folder = await scratch();
    const pair = await Pair.create(etcd, folder.path, ["--snapshot-count=100000"]);
    let [first, second] = [pair.a, pair.b];
    let behind = 0;
    try {
      await pair.startFirst();
      for (let round = 0; round < rounds; round += 1) {
        await pair.join(second, first);
        await first.put(`round${round}`, "x");
        const id = await memberId(second, first);
        const answers = asked("promote", id, [first, second]);
        // Killed when all is answered, and in every other round in the middle of it.
        const whole = round % 2 === 0;
        if (whole) assert.equal((await answers).filter((answer) => answer === "ok").length, 1);
        else await sleep(20 + Math.random() * 100);
        await pair.kill();
        await answers;
        for (const who of [first, second]) {
          const facts = await factsAsEtcd(newest.folder, who.folder);
          const { whole: log, committed } = await oracleOf(newest.folder, who.folder);
          if (log?.void !== committed?.void) behind += 1;
          if (!whole) continue;
          assert.match(log?.void ?? "", /AddNode: membership: can only promote a learner member/);
          assert.equal(facts.standing, "voter");
          assert.equal(facts.configuration.voters.length, 2);
        }
        if (whole) {
          // etcd itself goes on from such a log, on both sides.
          await pair.restart();
          await second.put(`again${round}`, "x");
          await pair.kill();
          [first, second] = [second, first];
        }
        await takesOver(first, pair.flags, join(folder.path, `kept${round}`));
        const keys = await first.keys();
        for (let n = 0; n <= round; n += 1) assert.ok(keys.has(`round${n}`), `round${n}`);
      }
      // Which moment a kill meets is chance: whatever it is, etcd's own packages and we must read the same.
      t.diagnostic(`${behind} logs with a void promotion beyond what they call committed`);
    } finally {
      await pair.kill();
    }
  });

  test(`etcd ${etcd.version}: a removal that was asked for many times is one removal`, async () => {
    await using folder = await scratch();
    const pair = await Pair.create(etcd, folder.path, ["--snapshot-count=100000"]);
    const { a, b } = pair;
    try {
      await pair.startFirst();
      await pair.join(b, a);
      await pair.promote(b, a);
      await b.put("both", "x");
      const id = await memberId(b, a);
      await asked("remove", id, [a, b]);
      await b.ended();
      // Once more, and somebody whom nobody knows.
      assert.match((await asked("remove", id, [a], 1)).join(), /member not found/);
      assert.match((await asked("remove", "1234", [a], 1)).join(), /member not found/);
      await a.kill();
      const gone = await factsAsEtcd(newest.folder, b.folder);
      assert.deepEqual([gone.standing, gone.removalInLog], ["removed", true]);
      const { whole } = await oracleOf(newest.folder, a.folder);
      assert.match(whole?.void ?? "", /RemoveNode: membership: ID removed \(idle\)/);
      assert.match(whole?.void ?? "", /RemoveNode: membership: ID not found \(idle\)/);
      const left = await factsAsEtcd(newest.folder, a.folder);
      assert.deepEqual([left.standing, left.removalInLog], ["voter", false]);
      assert.deepEqual(left.configuration, {
        voters: [left.memberId],
        learners: [],
        removed: [gone.memberId],
        unknown: undefined,
      });
      // A sole voter starts plainly; that it also starts by force shows what etcd makes of such a log.
      a.start(pair.flags);
      await a.ready();
      await a.put("alone", "x");
      await a.kill();
      await takesOver(a, pair.flags, join(folder.path, "kept"));
      assert.deepEqual([...(await a.keys())].toSorted(), ["alone", "both"]);
    } finally {
      await pair.kill();
    }
  });
}

/** Many callers at once, at each of these members in turn; what each was told. */
function asked(
  what: "promote" | "remove",
  id: string,
  at: readonly EtcdProcess[],
  count = callers,
): Promise<readonly string[]> {
  const call = async (through: EtcdProcess | undefined): Promise<string> => {
    // A learner that has not caught up is refused for a while.
    for (let tries = 0; tries < 200; tries += 1) {
      try {
        await through?.post(`cluster/member/${what}`, { ID: BigInt(`0x${id}`).toString() });
        return "ok";
      } catch (error) {
        if (!/in sync with leader|rpc not supported for learner/.test(String(error))) return String(error);
        await sleep(10);
      }
    }
    return "never";
  };
  return Promise.all(Array.from({ length: count }, (_, n) => call(at[n % at.length])));
}

/** With the commit record and by force, then plainly; it runs afterwards. etcd and we agree after each. */
async function takesOver(survivor: EtcdProcess, flags: readonly string[], copy: string): Promise<void> {
  await writeCommitRecord(survivor.folder, copy);
  await factsAsEtcd(newest.folder, survivor.folder);
  for (const start of [[...flags, "--force-new-cluster"], flags]) {
    await survivor.forgetLog();
    survivor.start(start);
    await survivor.ready();
    assert.doesNotMatch(await survivor.log(), /discarding uncommitted/);
    await survivor.kill();
    const { configuration, memberId: own } = await factsAsEtcd(newest.folder, survivor.folder);
    assert.deepEqual([configuration.voters, configuration.learners], [[own], []]);
  }
  survivor.start(flags);
  await survivor.ready();
}
