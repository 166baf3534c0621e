import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { password, testTls, username } from "../../../lab/bmc/testing.ts";
import { forgetRefusals, hold_ms } from "../../machine/refusals.ts";
import { openBmc } from "../../redfish/open.ts";
import { type Asked, fakeService } from "../../redfish/testing.ts";
import { stage, switchTo } from "../credentials/keeper.ts";
import { Secret } from "../../base/secret.ts";
import { keepAssetTags } from "../setup/asset-tags.ts";
import { readPower } from "../status/power.ts";
import { bmcEffects, lookAtPeer, silentWays } from "./bmc.ts";
import { twoMachines } from "./testing-site.ts";
import { waits, Ways } from "./ways.ts";

const kit = { tls: await testTls(), login: { username, password } };
const folder = await mkdtemp(join(tmpdir(), "duet-refusals-"));
const run = join(folder, "run");
const system = "/redfish/v1/Systems/1";
const reset = `${system}/Actions/ComputerSystem.Reset`;
const lineage = { epoch: 2, owner: "node1" };
const call_ms = 5_000;

/** What the BMC of node2 says to what it is asked; 200: all is well. */
let status: (asked: Asked) => number = () => 200;
const open = /^\/redfish\/v1\/?$/;
const bmc = await fakeService(kit, (asked) => {
  const { path } = asked;
  if (!open.test(path) && status(asked) !== 200) return { status: status(asked) };
  return {
    body: {
      Systems: { "@odata.id": "/redfish/v1/Systems" },
      Members: [{ "@odata.id": system }],
      PowerState: "On",
      AssetTag: "",
      Actions: { "#ComputerSystem.Reset": { target: reset } },
    },
  };
});
after(async () => {
  await bmc[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
const file = join(folder, "bmc.credentials");
beforeEach(async () => {
  status = () => 200;
  forgetRefusals(run);
  await writeFile(join(folder, "ca.crt"), kit.tls.cert);
  await writeFile(file, `${username}:${password}\n`, { mode: 0o600 });
});
const site = twoMachines({ node1: "https://127.0.0.1:9", node2: `https://127.0.0.1:${bmc.port}` });
const [, node2] = site.machines;
assert.ok(node2 !== undefined);
const files = { run, assetTags: "", witness: "", witnessSeen: "", witnessSaid: "", tagTest: "" };
/** Another process of the same machine each time. */
const ways = () => new Ways({ site, me: "node1", folder, files });
const look = () => lookAtPeer(ways(), call_ms);
/** How many logins it takes to do this. */
async function logins(work: () => Promise<unknown>): Promise<number> {
  const before = bmc.asked.length;
  await work();
  return bmc.asked.slice(before).filter(({ path }) => !open.test(path)).length;
}

test("after a refused login nobody who only looks tries again for a while, and says so", async () => {
  status = () => 401;
  assert.equal(await logins(look), 1);
  assert.equal(await logins(look), 0);
  assert.equal(await logins(() => bmcEffects(ways()).peerPower(call_ms)), 0);
  const { peerPower, why } = await look();
  assert.equal(peerPower, "unreadable");
  assert.match(
    why,
    /refuses the credentials \(status 401\); so that it does not lock the user out, it is not asked again for (59|60) s/,
  );
  const shown = await readPower(node2, folder, run);
  assert.ok(!shown.known);
  assert.match(shown.why, /not asked again/);
  assert.equal(await logins(() => readPower(node2, folder, run)), 0);
});

test("a command to switch it off, and a person's test, are sent at once; one that is taken ends it for all", async () => {
  status = () => 401;
  await look();
  assert.equal(await logins(() => bmcEffects(ways()).commandOff("BMC", call_ms)), 1);
  // What a fence reads after a command that was refused it need not ask for.
  assert.equal(await logins(look), 0);
  assert.equal(await logins(async () => (await openBmc(node2.bmc, folder, call_ms)).powerState()), 1);
  status = () => 200;
  assert.equal((await look()).peerPower, "unreadable");
  assert.equal((await bmcEffects(ways()).commandOff("BMC", call_ms)).ok, true);
  assert.equal((await look()).peerPower, "on");
});

test("a fence that Pacemaker repeats does not lock the user out, and one that comes later is sent at once", async () => {
  status = () => 401;
  const off = () => bmcEffects(ways()).commandOff("BMC", call_ms);
  // Whoever looks has been refused for days: that holds up no fence.
  for (let looks = 0; looks < 3; looks++) {
    await look();
    await later(hold_ms + 1);
  }
  await look();
  const first: number[] = [];
  for (let tries = 0; tries < 5; tries++) first.push(await logins(off));
  assert.deepEqual(first, [1, 1, 0, 0, 0]);
  const held = await off();
  assert.ok(!held.ok);
  assert.match(held.failure.said, /not asked again for (59|60) s/);
  assert.equal(held.failure.kind, "refused", "it was not sent: Off that is read proves nothing");
  await later(hold_ms + 1);
  assert.deepEqual([await logins(off), await logins(off)], [1, 0]);
  assert.equal(await logins(() => bmcEffects(ways()).commandOn(call_ms)), 0, "nor to power it on again");
  // Whoever is let in ends it: from then on the password is one that works.
  await later(hold_ms / 2);
  status = () => 200;
  assert.equal((await off()).ok, false);
  assert.equal((await openBmcHere()).ok, true);
  for (let tries = 0; tries < 3; tries++) assert.equal((await off()).ok, true);
});

/** As a person's test does it, whatever was refused before. */
const openBmcHere = async () => await (await ways().bmc("theirs", call_ms)).powerState();

/** As if so much time had passed since then. */
async function later(ms: number): Promise<void> {
  const noted = join(run, "bmc-refused");
  const text = await readFile(noted, "utf8");
  await writeFile(
    noted,
    text.replace(/"at_ms":([0-9.]+)/g, (_, at: string) => `"at_ms":${Number(at) - ms}`),
  );
}

test("a takeover's tag, and Pacemaker's proof of fencing, are tried once more at once, and then wait too", async () => {
  for (const work of [
    () => bmcEffects(ways()).raiseTag("theirs", lineage, call_ms),
    () => silentWays(ways(), call_ms),
  ]) {
    forgetRefusals(run);
    status = () => 401;
    await look();
    assert.equal(await logins(work), 1);
    assert.equal(await logins(work), 0);
  }
});

test("new credentials are tried at once: those that wait for their proof, and those that replaced the old ones", async () => {
  const keeper = {
    site,
    folder,
    me: "node1",
    rotations: "",
    run,
    key: async () => Buffer.alloc(0),
    heard: async () => undefined,
    tell: async () => true,
  };
  status = () => 401;
  await look();
  await stage(keeper, "node2", { username, password: new Secret("a new password") });
  assert.equal(await logins(look), 3, "the new ones, the old ones, and once more the new ones");
  assert.equal(await logins(look), 0);
  await switchTo(keeper, "node2");
  assert.equal(await logins(look), 1);
});

test("who is logged in and may not write may still look", async () => {
  status = ({ method }) => (method === "PATCH" ? 403 : 200);
  assert.equal((await bmcEffects(ways()).raiseTag("theirs", lineage, call_ms)).ok, false);
  assert.equal((await look()).peerPower, "on");
  status = () => 403;
  assert.equal(await logins(look), 1);
  assert.equal(await logins(look), 0);
});

test("a setup that systemd repeats waits too, and says why; one that a person starts asks", async () => {
  status = () => 401;
  const url = `https://127.0.0.1:${bmc.port}`;
  const both = new Ways({ site: twoMachines({ node1: url, node2: url }), me: "node1", folder, files });
  const setUp = async (changes: { readonly waitsAfter?: number }) => {
    const keeping = keepAssetTags(
      { ways: both, say: () => undefined, firstStart: true, ...changes },
      join(folder, "asset-tags"),
    );
    await assert.rejects(keeping, /refuses the credentials/);
  };
  assert.equal(await logins(() => setUp({ waitsAfter: waits.look })), 1);
  assert.equal(await logins(() => setUp({ waitsAfter: waits.look })), 0);
  assert.equal(await logins(() => setUp({})), 1);
});
