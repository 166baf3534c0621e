import assert from "node:assert/strict";
import { test } from "node:test";
import { etcdPolicy } from "../../src/render/policy.ts";
import { EtcdProcess } from "./process.ts";
import { scratch, versions } from "./testing.ts";

/** One file of settings for both: a machine is upgraded by its program alone. */
const given = new Set(["HEARTBEAT_INTERVAL", "ELECTION_TIMEOUT"]);
const settings = Object.fromEntries(
  Object.entries(etcdPolicy)
    .filter(([name]) => !given.has(name))
    .map(([name, { value }]) => [`ETCD_${name}`, value]),
);

for (const etcd of await versions())
  test(`etcd ${etcd.version} starts with the settings that duet writes`, async () => {
    await using folder = await scratch();
    const a = await EtcdProcess.create(etcd, "a", folder.path);
    try {
      a.start(["--initial-cluster", `a=${a.peer}`], settings);
      await a.ready();
      assert.match(await a.log(), /recognized and used environment variable.*SKIP_CLIENT_SAN_VERIFICATION/);
    } finally {
      await a.kill();
    }
  });
