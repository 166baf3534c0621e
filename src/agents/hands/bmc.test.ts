import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { clearFaults, parseFault, writeFault } from "../../../lab/bmc/fault.ts";
import {
  bench,
  FakeFeed,
  FakeMetal,
  password,
  testPdu,
  testTls,
  username,
} from "../../../lab/bmc/testing.ts";
import type { Outcome } from "../../act/effects.ts";
import type { Tag } from "../../decide/facts.ts";
import { until } from "../../machine/clock.ts";
import { type Failure, failed } from "../../redfish/failure.ts";
import { fingerprintOf } from "../../redfish/testing.ts";
import { bmcEffects, readBmcs, silentWays } from "./bmc.ts";
import { ownSystems } from "./systems.ts";
import { tagText, testTag } from "./tag.ts";
import { twoMachines } from "./testing-site.ts";
import { commanded, Ways } from "./ways.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-hands-bmc-"));
const mine = await bench({ metal: new FakeMetal(true) });
const metal = new FakeMetal(true);
const theirs = await bench({ metal });
const feed = new FakeFeed();
const pdu = await testPdu(join(folder, "pdu"), "node2", feed);
await writeFile(join(folder, "ca.crt"), (await testTls()).cert);
const credentials = join(folder, "bmc.credentials");
await writeFile(credentials, `${username}:${password}\n`, { mode: 0o600 });
after(async () => {
  await pdu.close();
  for (const each of [mine, theirs]) await each[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  for (const each of [mine.folder, theirs.folder, join(folder, "pdu")]) await clearFaults(each);
  metal.powered = true;
  metal.hung = false;
  feed.powered = true;
  for (const each of [mine, theirs]) await tagIs(each, null);
});

const at = (port: number) => `https://127.0.0.1:${port}`;
const places = { node1: at(mine.bmc.port), node2: at(theirs.bmc.port) };
const plain = new Ways({ site: twoMachines(places), me: "node1", folder });
const fed = new Ways({ site: twoMachines({ ...places, pdu: at(pdu.port) }), me: "node1", folder });
const { site } = plain;

async function tagIs(each: typeof mine, tag: string | null): Promise<void> {
  const { status } = await each.call("PATCH", "/redfish/v1/Systems/1", { body: { AssetTag: tag ?? "" } });
  assert.ok(status < 300, String(status));
}
const fault = (kind: string, argument?: string) => writeFault(theirs.folder, parseFault(kind, argument));

function value<T>(outcome: Outcome<T>): T {
  assert.ok(outcome.ok, JSON.stringify(outcome));
  return outcome.value;
}
function failure(outcome: Outcome<unknown>) {
  assert.ok(!outcome.ok, JSON.stringify(outcome));
  return outcome.failure;
}

test("the peer is commanded off and on, and its power read", async () => {
  const bmc = bmcEffects(plain);
  assert.equal(value(await bmc.peerPower(2_000)), "on");
  value(await bmc.commandOff("BMC", 2_000));
  await until("Off", async () => value(await bmc.peerPower(2_000)) === "off", {
    deadline_ms: 5_000,
    every_ms: 10,
  });
  assert.equal(metal.powered, false);
  value(await bmc.commandOn(3_000));
  await until("On", async () => value(await bmc.peerPower(2_000)) === "on", {
    deadline_ms: 5_000,
    every_ms: 10,
  });
  assert.deepEqual(bmc.offWays, [["BMC"]]);
  assert.equal(failure(await bmc.commandOff("outlet", 2_000)).kind, "refused");
});

test("a machine that is powering off is not off", async () => {
  const gate = Promise.withResolvers<void>();
  metal.gate = gate.promise;
  const bmc = bmcEffects(plain);
  value(await bmc.commandOff("BMC", 2_000));
  assert.equal(value(await bmc.peerPower(2_000)), "on");
  gate.resolve();
  await until("Off", async () => value(await bmc.peerPower(2_000)) === "off", {
    deadline_ms: 5_000,
    every_ms: 10,
  });
});

test("a silent BMC ends with the deadline of the whole effect, whatever it hangs in", async () => {
  for (const kind of ["hang-after-connect", "hang-in-tls", "drip"]) {
    await clearFaults(theirs.folder);
    await fault(kind);
    // Newly made: it has to look for the System too, with three calls.
    const bmc = bmcEffects(new Ways({ site, me: "node1", folder }));
    assert.equal(failure(await bmc.peerPower(300)).kind, "unreachable", kind);
    assert.match(
      failure(await bmc.peerPower(300)).said,
      /the BMC of node2: no complete answer within 300 ms/,
    );
    // It hangs before the command has gone out.
    assert.equal(failure(await bmc.commandOff("BMC", 300)).kind, "unreachable", kind);
    assert.equal(metal.powered, true);
  }
});

test("a command that is refused is told from one that may have been taken", async () => {
  for (const [kind, told] of [
    ["unauthorized", "refused"],
    ["server-error", "failed"],
  ] as const) {
    await clearFaults(theirs.folder);
    await fault(kind);
    assert.equal(failure(await bmcEffects(plain).commandOff("BMC", 2_000)).kind, told, kind);
  }
  const become = (refused: Failure, by: "BMC" | "outlet") =>
    failure(commanded(plain, failed(refused), "x", 1_000, by)).kind;
  for (const [status, said] of [
    [400, "The operation was not successful due to the current power state"],
    [400, "the server is already powered off"],
    [409, "Base.1.8.InvalidOperationForSystemState"],
    [409, "The request could not be performed because the resource is in standby."],
    [409, "Server is already powered OFF."],
    [400, "the system is already in the requested state"],
    [409, "System is currently off"],
    [409, "The system is not powered on"],
    [400, "Chassis power is already off. Pending BIOS settings are applied at the next boot"],
  ] as const) {
    const weighed: Failure = { kind: "status", status, said };
    assert.equal(become(weighed, "BMC"), "weighed");
    assert.equal(become(weighed, "outlet"), "failed");
  }
  // Not understood, or not now: nothing was weighed.
  for (const [status, said] of [
    [400, "ForceOff is not in the list of values"],
    [409, ""],
    [409, "the resource is in use"],
    [409, "a power job is already scheduled"],
    [409, "the power state is in transition"],
    [409, "The power state of the system cannot be determined"],
    [409, "PowerState is unknown"],
    [409, "firmware update: power state change not allowed"],
    [400, "value ForceOff for PowerState is not in the list"],
    [409, "cannot power off: a firmware update is already in progress"],
  ] as const)
    assert.equal(become({ kind: "status", status, said }, "BMC"), "failed", said);
  for (const by of ["BMC", "outlet"] as const) {
    assert.equal(become({ kind: "status", status: 500, said: "" }, by), "failed");
    assert.equal(become({ kind: "deadline", deadline_ms: 1, sent: true }, by), "deadline");
    assert.equal(become({ kind: "deadline", deadline_ms: 1 }, by), "unreachable");
  }
});

test("a silent BMC costs one call, however long the effect may take", async () => {
  const hasty = { ...site, timeouts: { ...site.timeouts, bmc_call_ms: 200 } };
  await fault("hang-after-connect");
  const bmc = bmcEffects(new Ways({ site: hasty, me: "node1", folder }));
  assert.match(failure(await bmc.peerPower(600_000)).said, /no complete answer within 200 ms/);
  assert.match(failure(await bmc.commandOff("BMC", 600_000)).said, /no complete answer within 200 ms/);
  assert.match(failure(await bmc.commandOn(600_000)).said, /no complete answer within 200 ms/);
});

test("a slow BMC is waited for call by call, and a later process has less to wait for", async () => {
  const patient = { ...site, timeouts: { ...site.timeouts, bmc_call_ms: 60_000 } };
  const systems = ownSystems();
  const ways = () => new Ways({ site: patient, me: "node1", folder, systems });
  await fault("slow", "0.3");
  assert.equal(value(await bmcEffects(ways()).peerPower(240_000)), "on");
  assert.ok(systems.of(places.node2)?.reset !== undefined);
  // One call, of which the answer comes too late: it has gone out, and reading Off is what counts.
  await fault("slow", "3");
  assert.equal(failure(await bmcEffects(ways()).commandOff("BMC", 2_400)).kind, "deadline");
  await fault("slow", "0.1");
  await until("Off", async () => value(await bmcEffects(ways()).peerPower(240_000)) === "off", {
    deadline_ms: 60_000,
    every_ms: 10,
  });
});

test("a command of a chain that is out of time is not sent", async () => {
  await fault("slow", "0.25");
  const bmc = bmcEffects(new Ways({ site, me: "node1", folder }));
  metal.done.length = 0;
  assert.equal(failure(await bmc.commandOff("BMC", 600)).kind, "unreachable");
  await new Promise((resolve) => setTimeout(resolve, 700));
  assert.deepEqual(metal.done, []);
});

test("the outlet tells where the BMC is silent, and only there", async () => {
  const bmc = bmcEffects(fed);
  assert.deepEqual(bmc.offWays, [["BMC"], ["outlet"]]);
  // Off at its outlet, and On by its BMC: it has power from somewhere else.
  value(await bmc.commandOff("outlet", 2_000));
  await until("the outlet is off", async () => !feed.powered, { deadline_ms: 5_000, every_ms: 10 });
  assert.equal(value(await bmc.peerPower(2_000)), "on");
  await fault("hang-after-connect");
  assert.equal(value(await bmc.peerPower(600)), "off");
  feed.powered = true;
  const silent = failure(await bmc.peerPower(600));
  assert.match(silent.said, /its outlet is on/);
  assert.equal((await readBmcs(fed, 600)).peerPower, "fed");
  assert.equal((await readBmcs(plain, 600)).peerPower, "unreadable");
});

test("wrong credentials, and a file that others may read", async () => {
  await fault("unauthorized");
  assert.equal(failure(await bmcEffects(plain).commandOff("BMC", 2_000)).kind, "refused");
  await clearFaults(theirs.folder);
  await chmod(credentials, 0o640);
  try {
    const refused = failure(await bmcEffects(plain).commandOff("BMC", 2_000));
    assert.match(refused.said, /other users may read this file/);
    assert.deepEqual((await readBmcs(plain, 2_000)).tags.mine, { kind: "unreadable" });
  } finally {
    await chmod(credentials, 0o600);
  }
  assert.equal(value(await bmcEffects(plain).peerPower(2_000)), "on");
});

test("tags are raised, never lowered, and read back", async () => {
  const bmc = bmcEffects(plain);
  const seven = { epoch: 7, owner: "node1" };
  assert.equal(value(await bmc.raiseTag("theirs", seven, 5_000)), "written");
  assert.equal(value(await bmc.raiseTag("theirs", seven, 5_000)), "written");
  assert.equal(value(await bmc.raiseTag("theirs", { epoch: 6, owner: "node1" }, 5_000)), "higher");
  assert.equal(value(await bmc.raiseTag("theirs", { epoch: 7, owner: "node2" }, 5_000)), "higher");
  const { tags } = await readBmcs(plain, 2_000);
  assert.deepEqual(tags, { mine: { kind: "blank" }, theirs: { kind: "lineage", ...seven } });
  assert.equal(value(await bmc.raiseTag("theirs", { epoch: 8, owner: "node2" }, 5_000)), "written");
  await tagIs(mine, "rack 7");
  assert.deepEqual((await readBmcs(plain, 2_000)).tags.mine, { kind: "foreign" });
  assert.equal(value(await bmc.raiseTag("mine", seven, 5_000)), "written");
  const far = await bmc.raiseTag("mine", { epoch: 10_000_000_000, owner: "node1" }, 5_000);
  assert.deepEqual(failure(far), { kind: "refused", said: "a tag has no room for epoch 10000000000" });
});

test("a tag that may not be replaced stays, whatever its number; the own one is there already", async () => {
  const bmc = bmcEffects(plain);
  const six = { epoch: 6, owner: "node2" };
  const seven = { epoch: 7, owner: "node1" };
  await tagIs(theirs, tagText(site, six));
  const asked: Tag[] = [];
  const never = (tag: Tag) => {
    asked.push(tag);
    return false;
  };
  assert.equal(value(await bmc.raiseTag("theirs", seven, 5_000, never)), "higher");
  assert.deepEqual((await readBmcs(plain, 2_000)).tags.theirs, { kind: "lineage", ...six });
  assert.equal(value(await bmc.raiseTag("theirs", seven, 5_000, () => true)), "written");
  assert.equal(value(await bmc.raiseTag("theirs", seven, 5_000, never)), "written");
  assert.deepEqual(asked, [{ kind: "lineage", ...six }]);
});

test("a tag of another duet site is never written over, nor the text of its test", async () => {
  const bmc = bmcEffects(plain);
  const other = { ...site, name: "other" };
  for (const text of [tagText(other, { epoch: 3, owner: "node1" }), testTag(other, "0a1b2c3")]) {
    await tagIs(mine, text);
    const end = failure(await bmc.raiseTag("mine", { epoch: 7, owner: "node1" }, 5_000));
    assert.equal(end.kind, "refused");
    assert.match(end.said, /tag of another duet site \(duet:[^]*`duet check`/);
    const { json } = await mine.call("GET", "/redfish/v1/Systems/1");
    assert.equal(json["AssetTag"], text);
  }
  // What only looks like one is somebody's text, and a test of this site that was cut off is its own.
  for (const text of ["duet:rack 7", testTag(site, "0a1b2c3")]) {
    await tagIs(mine, text);
    assert.equal(value(await bmc.raiseTag("mine", { epoch: 7, owner: "node1" }, 5_000)), "written");
  }
});

test("a tag that does not read back was not written", async () => {
  const bmc = bmcEffects(plain);
  for (const kind of ["lies", "accepted-no-effect"]) {
    await clearFaults(theirs.folder);
    await fault(kind);
    const end = failure(await bmc.raiseTag("theirs", { epoch: 7, owner: "node1" }, 5_000));
    assert.match(end.said, /does not read back/, kind);
  }
});

test("of two who raise at once, the higher stays", async () => {
  const one = bmcEffects(plain);
  const other = bmcEffects(new Ways({ site, me: "node2", folder }));
  for (let round = 1; round <= 5; round++) {
    const low = { epoch: 10 * round, owner: "node1" };
    const high = { epoch: 10 * round + 1, owner: "node2" };
    await Promise.all([one.raiseTag("theirs", low, 5_000), other.raiseTag("mine", high, 5_000)]);
    const { json } = await theirs.call("GET", "/redfish/v1/Systems/1");
    assert.equal(json["AssetTag"], tagText(site, high));
  }
});

test("every way that does not answer is named", async () => {
  assert.deepEqual(await silentWays(fed, 2_000), []);
  await fault("unauthorized");
  await writeFault(join(folder, "pdu"), parseFault("server-error"));
  const silent = await silentWays(fed, 2_000);
  assert.equal(silent.length, 2);
  assert.match(silent.join("\n"), /the BMC of node2: it refuses.*\n.*the outlet of node2: .*500/);
});

test("an outlet of which nothing is known, and that answers too late, is not switched: its turn may be over", async () => {
  await writeFault(join(folder, "pdu"), parseFault("slow", "0.4"));
  const late = failure(
    await bmcEffects(new Ways({ site: fed.site, me: "node1", folder })).commandOff("outlet", 1_000),
  );
  assert.equal(late.kind, "unreachable");
  assert.match(late.said, /the outlet of node2: it answers too late to be switched now/);
  await clearFaults(join(folder, "pdu"));
  assert.equal(feed.powered, true);
});

test("an outlet is switched at once, however slow it is, where an earlier process of this boot has looked at it", async () => {
  const at = (name: string) => join(folder, name);
  const files = {
    run: at("run"),
    assetTags: at("asset-tags"),
    witness: at("witness"),
    witnessSeen: at("seen"),
    witnessSaid: at("said"),
    tagTest: at("tag-test"),
  };
  const patient = { ...fed.site, timeouts: { ...fed.site.timeouts, bmc_call_ms: 10_000 } };
  const ways = () => new Ways({ site: patient, me: "node1", folder, files });
  // Longer than a command may be late: a quarter of its four seconds.
  await writeFault(at("pdu"), parseFault("slow", "1.2"));
  assert.deepEqual(await silentWays(ways(), 10_000), []);
  value(await bmcEffects(ways()).commandOff("outlet", 4_000));
  await until("the outlet is off", async () => !feed.powered, { deadline_ms: 5_000, every_ms: 10 });
  // Its answer comes too late: it has gone out, and reading Off is what counts.
  feed.powered = true;
  assert.equal(failure(await bmcEffects(ways()).commandOff("outlet", 800)).kind, "deadline");
  await until("it is off", async () => !feed.powered, { deadline_ms: 5_000, every_ms: 10 });
});

test("a BMC that is known by its fingerprint is called by it: for its power, to switch it off, for its tag; another one is not", async () => {
  const pinned = (sha256: string) => {
    const trust = { by: "fingerprint", sha256 } as const;
    const machines = site.machines.map((m) => ({ ...m, bmc: { ...m.bmc, trust } }));
    return bmcEffects(new Ways({ site: { ...site, machines }, me: "node1", folder }));
  };
  const lineage = { epoch: 2, owner: "node1" };
  const other = pinned("0".repeat(64));
  for (const call of [
    other.peerPower(2_000),
    other.commandOff("BMC", 2_000),
    other.raiseTag("theirs", lineage, 2_000),
  ])
    assert.match(failure(await call).said, /another one than the site file names/);
  assert.equal(metal.powered, true);
  const right = pinned(fingerprintOf({ tls: await testTls(), login: { username, password } }));
  assert.equal(value(await right.raiseTag("theirs", lineage, 2_000)), "written");
  value(await right.commandOff("BMC", 2_000));
  await until("Off", async () => value(await right.peerPower(2_000)) === "off", {
    deadline_ms: 5_000,
    every_ms: 10,
  });
});
