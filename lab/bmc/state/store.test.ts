import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { DuetError } from "../../../src/base/problem.ts";
import { bmcState } from "./state.ts";
import { Store } from "./store.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-store-"));
after(() => rm(folder, { recursive: true }));

test("a new BMC has the defaults, and what changed is there after the next start", async () => {
  const store = await Store.open(join(folder, "a"), bmcState);
  assert.equal(store.value.power_restore_policy, "LastState");
  await store.update(() => ({ asset_tag: "duet" }));
  assert.equal((await Store.open(join(folder, "a"), bmcState)).value.asset_tag, "duet");
});

test("changes made at once are all kept", async () => {
  const store = await Store.open(join(folder, "b"), bmcState);
  const names = Array.from({ length: 20 }, (_, i) => `ntp${i}`);
  await Promise.all(
    names.map((name) => store.update((state) => ({ ntp_servers: [...state.ntp_servers, name] }))),
  );
  assert.deepEqual((await Store.open(join(folder, "b"), bmcState)).value.ntp_servers, names);
});

test("a change that fails changes nothing and does not stop the next", async () => {
  const store = await Store.open(join(folder, "c"), bmcState);
  await assert.rejects(
    store.update(() => {
      throw new Error("no");
    }),
  );
  await store.update(() => ({ asset_tag: "x" }));
  assert.equal(store.value.asset_tag, "x");
});

test("only the owner may read the file: it holds password hashes", async () => {
  assert.equal((await stat(join(folder, "c", "state.json"))).mode & 0o777, 0o600);
});

test("a spoilt file stops the start with its path and the way out, and is not overwritten", async () => {
  const path = join(folder, "a", "state.json");
  for (const spoilt of ["{", '{"asset_tag":5}', '{"unknown":1}']) {
    await writeFile(path, spoilt);
    await assert.rejects(
      Store.open(join(folder, "a"), bmcState),
      (error) => error instanceof DuetError && error.problems[0]?.where === path,
    );
    assert.equal(await readFile(path, "utf8"), spoilt);
  }
});
