import assert from "node:assert/strict";
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { password, testTls, username } from "../../../lab/bmc/testing.ts";
import { nextOf } from "../../machine/logins.ts";
import { fakeService } from "../../redfish/testing.ts";
import { twoMachines } from "../hands/testing-site.ts";
import { careForCredentials } from "./care.ts";
import { noteRotation, rotationOf } from "./keeper.ts";
import { lineIn, Pair } from "./testing.ts";

const kit = { tls: await testTls(), login: { username, password } };
const base = await mkdtemp(join(tmpdir(), "duet-care-"));
after(() => rm(base, { recursive: true }));
const held = `${username}:${password}\n`;

/** A BMC that takes nobody's password. */
const refusing = () => fakeService(kit, () => ({ status: 401 }));

test("nothing is being changed: no word is told, no BMC is asked", async () => {
  await using bmc = await refusing();
  const url = `https://127.0.0.1:${bmc.port}`;
  const pair = new Pair(join(base, "quiet"), twoMachines({ node1: url, node2: url }));
  const node1 = await pair.make("node1", held, kit.tls.cert);
  assert.deepEqual(await careForCredentials(node1), { taken: [], settled: [] });
  assert.equal(pair.words, "");
  assert.deepEqual(bmc.asked, []);
});

test("new ones that a BMC does not take are tried often at first, and then seldom: it counts wrong passwords", async () => {
  await using bmc = await refusing();
  const pair = new Pair(
    join(base, "seldom"),
    twoMachines({ node1: "https://127.0.0.1:9", node2: `https://127.0.0.1:${bmc.port}` }),
  );
  const node1 = await pair.make("node1", held, kit.tls.cert);
  // In this test both machines' BMCs have the one file; node1's answers nobody.
  const next = nextOf(join(node1.folder, "bmc.credentials"));
  await writeFile(next, "admin:not known there\n", { mode: 0o600 });
  const tries = async (now_ms: number) => {
    const before = bmc.asked.length;
    await careForCredentials(node1, now_ms);
    return bmc.asked.length - before;
  };
  const begun_ms = Date.now();
  assert.equal(await tries(begun_ms), 1);
  assert.equal(await tries(begun_ms + 10_000), 1);
  await utimes(next, new Date(begun_ms - 3_600_000), new Date(begun_ms - 3_600_000));
  assert.equal(await tries(begun_ms), 1);
  assert.equal(await tries(begun_ms + 10_000), 0);
  assert.equal(await tries(begun_ms + 11 * 60_000), 1);
  assert.equal(await lineIn(node1.folder), held, "the old ones stay");
});

test("an offer that is older than what is held, or sealed for somebody else, changes nothing", async () => {
  await using bmc = await refusing();
  const url = `https://127.0.0.1:${bmc.port}`;
  const pair = new Pair(join(base, "old"), twoMachines({ node1: url, node2: url }));
  const node1 = await pair.make("node1", "admin:of another day\n", kit.tls.cert);
  const node2 = await pair.make("node2", held, kit.tls.cert);
  await noteRotation(node1, "node2", { generation: 1_000, handOver: true });
  await noteRotation(node2, "node2", { generation: 2_000, handOver: false });
  await careForCredentials(node1);
  await careForCredentials(node2);
  assert.equal(await lineIn(node2.folder, "bmc.credentials.next"), undefined);
  await noteRotation(node1, "node2", { generation: 3_000, handOver: true });
  await careForCredentials({ ...node1, key: async () => Buffer.alloc(256, 9) });
  await careForCredentials(node2);
  assert.equal(await lineIn(node2.folder, "bmc.credentials.next"), undefined);
  assert.equal((await rotationOf(node2, "node2"))?.generation, 2_000);
});
