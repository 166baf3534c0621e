import assert from "node:assert/strict";
import { test } from "node:test";
import { ensureEtcd35 } from "../../lab/etcd35.ts";
import type { Etcd, EtcdProcess } from "../../lab/etcd36/process.ts";
import { Pair, scratch, versions } from "../../lab/etcd36/testing.ts";
import { until } from "../machine/clock.ts";
import { Progress } from "../machine/progress.ts";
import { readMemberFacts } from "./facts.ts";

/** Each machine leaves, gets the next etcd, and joins again with empty data: as `duet standby` and `duet unstandby` do it. */

const [newest, ...others] = await versions();
/** Debian's, from before 3.5.26; none where the machines' image is not built. */
const earlies = others.filter(({ version }) => version === "3.5");
/** So few that a learner can't be served from the log: it gets its leader's database. */
const flags = ["--snapshot-count=15"];

async function write(who: EtcdProcess, name: string): Promise<void> {
  for (let n = 0; n < 30; n += 1)
    await until(
      "it is written",
      async () => {
        try {
          await who.put(`${name}${n}`, "v");
          return true;
        } catch {
          // Leadership goes over.
          return false;
        }
      },
      { deadline_ms: 60_000 },
    );
}

async function replace(pair: Pair, who: EtcdProcess, by: Etcd): Promise<void> {
  const through = who === pair.a ? pair.b : pair.a;
  await pair.leave(who, through);
  await write(through, `without-${who.name}-`);
  who.etcd = by;
  await pair.join(who, through);
  await pair.promote(who, through);
  await write(who, `with-${who.name}-`);
}

/** Both have been learners once, as on every site. */
async function begin(etcd: Etcd, folder: string): Promise<Pair> {
  const pair = await Pair.create(etcd, folder, flags);
  await pair.startFirst();
  await write(pair.a, "first");
  await pair.join(pair.b, pair.a);
  await pair.promote(pair.b, pair.a);
  await replace(pair, pair.a, etcd);
  return pair;
}

const standings = (pair: Pair) =>
  [pair.a, pair.b].map(({ folder }) => {
    const facts = readMemberFacts(folder);
    return `${facts?.standing} of ${facts?.version}`;
  });
const learnersBy = async (who: EtcdProcess): Promise<number> =>
  (await who.ctl(["member", "list"])).stdout.split("\n").filter((line) => line.endsWith("true")).length;

/** Why R-NEW-ETCD-JOIN: this is what it keeps a site from. */
for (const early of earlies)
  test("straight from 3.5.16 a 3.6 is handed a wrong list of members, and its log can't be judged", async () => {
    await using folder = await scratch();
    const pair = await begin(early, folder.path);
    try {
      await replace(pair, pair.b, newest);
      assert.equal(await learnersBy(pair.a), 0);
      assert.equal(await learnersBy(pair.b), 1, "it takes a voter for a learner");
      await pair.kill();
      assert.deepEqual(standings(pair), ["voter of 3.5.0", "unknown of 3.5.0"]);
    } finally {
      await pair.kill();
    }
  });

for (const early of earlies)
  test("by the last 3.5 on both, one after the other, 3.6 comes with every member as it is and every key", async () => {
    const last: Etcd = { version: "3.5", folder: await ensureEtcd35(new Progress()) };
    await using folder = await scratch();
    const pair = await begin(early, folder.path);
    try {
      for (const etcd of [last, newest])
        for (const who of [pair.b, pair.a]) {
          await replace(pair, who, etcd);
          assert.deepEqual([await learnersBy(pair.a), await learnersBy(pair.b)], [0, 0]);
        }
      await until(
        "the cluster works by 3.6",
        async () =>
          (await (await fetch(`${pair.a.client}/version`)).text()).includes('"etcdcluster":"3.6.0"'),
        { deadline_ms: 30_000 },
      );
      const keys = await pair.a.keys();
      await pair.kill();
      assert.deepEqual(standings(pair), ["voter of 3.6.0", "voter of 3.6.0"]);
      assert.equal(keys.size, 30 + 4 * 30);
    } finally {
      await pair.kill();
    }
  });
