import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { failed, type Published, success } from "../../act/effects.ts";
import { empty } from "../../decide/facts.ts";
import { turns } from "../../decide/race.ts";
import { fencePolicy } from "../../render/policy.ts";
import { exists } from "../../machine/files.ts";
import { isFirstStart } from "./effects.ts";
import { leaveTimes, siteTimes } from "./times.ts";
import { twoMachines } from "./testing-site.ts";

const nothing: Published = {
  holding: empty,
  serving: false,
  running: false,
  leaving: false,
  turn: undefined,
  logEnd: undefined,
};
const lineage = { epoch: 4, owner: "node2" };

test("a first start is one that setup noted, with no data here and nothing at the peer that speaks against it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-first-"));
  try {
    const where = { firstStart: join(folder, "first-start"), etcdData: join(folder, "etcd") };
    const ask = (said: Published | undefined) =>
      isFirstStart(async () => success(said), "node1", "node2", where);
    assert.equal(await ask(nothing), false, "setup has noted nothing");
    await writeFile(where.firstStart, "");
    assert.equal(await ask(nothing), true);
    assert.equal(await ask(undefined), false, "the peer has said nothing yet");
    assert.equal(
      await isFirstStart(async () => failed("deadline", ""), "node1", "node2", where),
      false,
      "nobody knows what the peer says",
    );
    assert.equal(await ask({ ...nothing, holding: { ...empty, data: true } }), false);
    assert.equal(await ask({ ...nothing, holding: { ...empty, lineage } }), false);
    assert.equal(await ask({ ...nothing, turn: 1 }), true, "the turn of a new peer");
    assert.equal(
      await ask({ ...nothing, turn: 0 }),
      false,
      "it would be this machine's: both would race at once",
    );
    await mkdir(join(where.etcdData, "member"), { recursive: true });
    assert.equal(await ask(nothing), false, "there is data");
    await rm(where.etcdData, { recursive: true });
    assert.equal(await ask(nothing), false, "data that was there and is lost is no first start");
    assert.equal(await exists(where.firstStart), false);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("the fence device is given the time that a whole round of turns takes", () => {
  assert.equal(fencePolicy.turns_waited.value, turns);
  const times = siteTimes(twoMachines({ node1: "https://203.0.113.1", node2: "https://203.0.113.2" }));
  assert.equal(times.bmc_call_ms, 1_000);
  const stop = leaveTimes(times);
  assert.ok(stop.etcd_stop_ms < times.etcd_stop_ms);
  assert.ok(stop.etcd_call_ms < times.etcd_call_ms);
});
