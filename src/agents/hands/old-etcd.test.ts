import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { EtcdProcess } from "../../../lab/etcd36/process.ts";
import { scratch, versions } from "../../../lab/etcd36/testing.ts";
import { decide } from "../../decide/decide.ts";
import { empty, type Facts } from "../../decide/facts.ts";
import { ordinary } from "../../decide/model/product.ts";
import { until } from "../../machine/clock.ts";
import { versionOf } from "../../machine/etcd/program.ts";
import { run } from "../../machine/process.ts";
import { readingDisk } from "./disk.ts";

const [newest, ...others] = await versions();
const deadline_ms = 20_000;

/** From real data and real programs to the decision, by the parts that a machine uses. */
for (const older of others)
  test(`etcd ${older.version} is refused on data of ${newest.version}, and nothing of it is touched; ${newest.version} is not`, async () => {
    await using folder = await scratch();
    const a = await EtcdProcess.create(newest, "a", folder.path);
    try {
      a.start(["--initial-cluster", `a=${a.peer}`]);
      await a.ready();
      await until(
        "the cluster has a version",
        async () => (await (await fetch(`${a.client}/version`)).text()).includes(`"${newest.version}.0"`),
        { deadline_ms },
      );
      await a.put("key", "value");
    } finally {
      await a.kill();
    }
    const sums = async () =>
      (await run(["sh", "-c", "find . -type f | sort | xargs sha256sum", "sh"], { cwd: a.folder })).stdout;
    const before = await sums();
    const paths = { etcdData: a.folder, state: `${a.folder}.state`, kept: `${a.folder}.kept` };
    const disk = readingDisk({ paths, isRunning: async () => false, note: () => undefined });
    const log = await disk.inspect();
    assert.ok(log.ok);
    const { version: data, ...held } = log.value;
    const decided = async (etcd: { readonly folder: string }) => {
      const program = await versionOf(join(etcd.folder, "etcd"), deadline_ms, `${a.folder}.note`);
      const lineage = { epoch: 5, owner: ordinary.me };
      const facts: Facts = {
        ...ordinary,
        self: { ...empty, ...held, lineage, full: true },
        peer: { seen: "before", facts: { ...empty, lineage } },
        proof: "off",
        etcd: { ...ordinary.etcd, versions: { program, data, peer: undefined, cluster: undefined } },
      };
      return decide("start", facts);
    };
    const refused = await decided(older);
    assert.deepEqual([refused.rule, refused.decision.do], ["R-OLD-ETCD-ALONE", "needs-human"]);
    assert.match(refused.sentence, /is 3\.5\.\d+, and its data is of 3\.6: /);
    assert.equal((await decided(newest)).decision.do, "start-plain");
    assert.equal(await sums(), before);
  });
