import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { done, failed, type Published, success } from "../../act/effects.ts";
import { FakeWorld } from "../../act/testing.ts";
import { empty } from "../../decide/facts.ts";
import { encodeChange, memberJson, WalBuilder } from "../../facts/testing.ts";
import { database } from "../../facts/testing-bolt.ts";
import { scratchFolder, writeFiles } from "../../facts/testing-folder.ts";
import { entry_type } from "../../facts/segment.ts";
import { exists } from "../../machine/files.ts";
import { no_log } from "./disk.ts";
import { isFirstStart, type Places, redoingFirst } from "./first-start.ts";
import { nothing_said } from "./testing.ts";

const id = 0xbdae9bbc11dd390dn;
const made = () => new WalBuilder(id, 0xc0ffeen);
/** With the entry of its one member, and no commit: a power cut in the middle of the first write. */
const torn = () =>
  made().entry(
    1,
    1,
    encodeChange(0, id, memberJson({ id, urls: ["https://192.0.2.11:2380"] })),
    entry_type.change,
  );
const begun = () => torn().state({ term: 1, vote: 0n, commit: 1 });

const lineage = { epoch: 4, owner: "node2" };
const new_too: Published = { ...nothing_said, isNew: true };

test("a first start is one that setup noted, with no data here and nothing at the peer that speaks against it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-first-"));
  try {
    const where = {
      firstStart: join(folder, "first-start"),
      etcdData: join(folder, "etcd"),
      begun: join(folder, "begun"),
    };
    const ask = (said: Published | undefined) =>
      isFirstStart(async () => success(said), "node1", "node2", where);
    assert.equal(await ask(new_too), false, "setup has noted nothing");
    await writeFile(where.firstStart, "");
    assert.equal(await ask(new_too), true);
    assert.equal(await ask(nothing_said), false, "the peer has held data, and its disk is not there");
    assert.equal(await ask(undefined), false, "the peer has said nothing yet");
    assert.equal(
      await isFirstStart(async () => failed("deadline", ""), "node1", "node2", where),
      false,
      "nobody knows what the peer says",
    );
    assert.equal(await ask({ ...new_too, holding: { ...empty, data: true } }), false);
    assert.equal(await ask({ ...new_too, holding: { ...empty, lineage } }), false);
    assert.equal(await ask({ ...new_too, turn: 1 }), true, "the turn of a new peer");
    assert.equal(
      await ask({ ...new_too, turn: 0 }),
      false,
      "it would be this machine's: both would race at once",
    );
    await writeFiles(where.etcdData, begun().files());
    assert.equal(await ask(new_too), false, "there is data");
    await rm(where.etcdData, { recursive: true });
    assert.equal(await ask(new_too), false, "data that was there and is lost is no first start");
    assert.equal(await exists(where.firstStart), false);
    await writeFile(where.firstStart, "");
    assert.equal(await ask(new_too), false, "nor is it on a disk in place of the one that held it");
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** A machine whose first start was noted, and then came as far as `make` says. */
async function cut(make: (data: string) => Promise<unknown>, work: (machine: Cut) => Promise<void>) {
  await using folder = await scratchFolder();
  const where = {
    firstStart: join(folder.path, "first-start"),
    etcdData: join(folder.path, "etcd"),
    kept: join(folder.path, "kept"),
    begun: join(folder.path, "begun"),
  };
  await writeFile(where.firstStart, "");
  await make(where.etcdData);
  const starts: (readonly string[])[] = [];
  const { unit } = new FakeWorld().effects;
  const start = async () => {
    starts.push((await exists(where.etcdData)) ? await readdir(where.etcdData) : []);
    return done;
  };
  const hands = (running: boolean) =>
    redoingFirst(
      { ...unit, start },
      async () => failed("failed", "inspected"),
      async () => running,
      where,
    );
  await work({ where, starts, hands });
}
interface Cut {
  readonly where: Places;
  /** What was in the data folder at each start. */
  readonly starts: readonly (readonly string[])[];
  readonly hands: (running: boolean) => ReturnType<typeof redoingFirst>;
}

const member = (...path: readonly string[]) => {
  const [name = "", text] = path;
  return async (data: string) => {
    await mkdir(join(data, "member", "snap"), { recursive: true });
    if (text === undefined) await mkdir(join(data, "member", name));
    else await writeFile(join(data, "member", name), text);
  };
};

const cases: Readonly<Record<string, (data: string) => Promise<unknown>>> = {
  "only folders": member("wal.tmp"),
  "an empty database": member("snap/db", ""),
  "a database that holds nothing": (data) => writeFiles(data, new Map([["snap/db", database(0n)]])),
  "a log without an entry": (data) => writeFiles(data, made().files()),
  "an entry without its commit": (data) => writeFiles(data, torn().files()),
};

for (const [name, make] of Object.entries(cases))
  test(`a first start that was cut short is done again, and what it left is kept: ${name}`, async () => {
    await cut(make, async ({ where, starts, hands }) => {
      const peer = async () => success(new_too);
      assert.equal(await isFirstStart(peer, "node1", "node2", where), true);
      assert.ok(await exists(where.firstStart));
      const { inspect, unit } = hands(false);
      assert.deepEqual(await inspect(), success(no_log));
      assert.deepEqual(await unit.start("first", 1_000), done);
      assert.deepEqual(starts, [[]], "nothing of it is in the way");
      assert.deepEqual(await readdir(where.kept), ["aside-0001"]);
      assert.ok(await exists(join(where.kept, "aside-0001", "member")));
    });
  });

test("data that somebody may have been answered from is never taken for such a rest", async () => {
  const lost: Readonly<Record<string, (data: string) => Promise<unknown>>> = {
    "a database without its log": (data) => writeFiles(data, new Map([["snap/db", database(7n)]])),
    "a log that can't be read": async (data) => {
      await writeFiles(data, begun().files());
      await writeFile(join(data, "member", "wal", "0000000000000000-0000000000000000.wal"), "damaged");
    },
    "a log that has begun": (data) => writeFiles(data, begun().files()),
  };
  for (const [name, make] of Object.entries(lost))
    await cut(make, async ({ where, hands }) => {
      const peer = async () => success(new_too);
      const { inspect, unit } = hands(false);
      assert.deepEqual(await inspect(), failed("failed", "inspected"), name);
      await unit.start("first", 1_000);
      assert.equal(await exists(where.kept), false, name);
      assert.equal(await isFirstStart(peer, "node1", "node2", where), false, name);
      assert.equal(await exists(where.firstStart), name !== "a log that has begun", name);
    });
});

test("what a first start makes while it runs is left to it", async () => {
  await cut(member("wal.tmp"), async ({ where, hands }) => {
    const { inspect, unit } = hands(true);
    assert.deepEqual(await inspect(), failed("failed", "inspected"));
    await unit.start("first", 1_000);
    assert.equal(await exists(where.kept), false);
  });
});
