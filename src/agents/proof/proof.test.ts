import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
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
import { judgeProof } from "../check/proof.ts";
import { twoMachines } from "../hands/testing-site.ts";
import { Ways } from "../hands/ways.ts";
import { proveHarmless, type Proving } from "./harmless.ts";
import { isGood, keepProof, readProof } from "./kept.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-proof-"));
const lab = await bench({ metal: new FakeMetal(true) });
const pdu = await testPdu(join(folder, "pdu"), "node2", new FakeFeed());
const listed = await testPdu(join(folder, "listed"), "node2-1", new FakeFeed());
await writeFile(join(folder, "ca.crt"), (await testTls()).cert);
const credentials = join(folder, "bmc.credentials");
await writeFile(credentials, `${username}:${password}\n`, { mode: 0o600 });
after(async () => {
  for (const each of [pdu, listed]) await each.close();
  await lab[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  await clearFaults(lab.folder);
  await clearFaults(join(folder, "pdu"));
  await chmod(credentials, 0o600);
});

const at = (port: number) => `https://127.0.0.1:${port}`;
const places = { node1: "https://203.0.113.1", node2: at(lab.bmc.port), pdu: at(pdu.port) };
const waysTo = (change = {}) =>
  new Ways({ site: twoMachines({ ...places, ...change }), me: "node1", folder });
const prove = (change: Partial<Proving> = {}) =>
  proveHarmless({
    ways: waysTo(),
    folder,
    mayWrite: async () => false,
    devices: async () => ["fence-node2"],
    turn: async () => 70_000,
    ...change,
  });
const shown = async (change: Partial<Proving> = {}) =>
  (await prove(change)).ways.map(({ way, ok, code }) => `${way} ${ok ? "well" : code}`);
const etag = async () => (await lab.call("GET", "/redfish/v1/Systems/1")).headers["etag"];

test("all well: each way is proven by itself, times are measured, and nothing is changed", async () => {
  const before = await etag();
  const { findings, calls, ways } = await prove();
  assert.deepEqual(
    ways.map(({ way, ok }) => [way, ok]),
    [
      ["BMC", true],
      ["outlet", true],
      ["Pacemaker", true],
    ],
  );
  assert.deepEqual(
    findings.map(({ check, mark }) => `${mark} ${check}`),
    [
      "ok BMC reachable",
      "ok BMC certificate",
      "ok BMC login",
      "ok power state",
      "ok BMC tag",
      "ok BMC time",
      "ok PDU reachable",
      "ok PDU certificate",
      "ok PDU outlet",
      "ok fence device",
    ],
  );
  assert.equal(calls?.calls, 15);
  assert.equal(await etag(), before, "without 1+1 no tag is written");
  assert.equal(lab.metal.powered, true);
});

test("at 1+1 the tag is written, with the value that is there and no other", async () => {
  await lab.call("PATCH", "/redfish/v1/Systems/1", { body: { AssetTag: "duet:abc:7:node1" } });
  const { findings } = await prove({ mayWrite: async () => true });
  assert.match(
    findings.find(({ check }) => check === "BMC tag")?.detail ?? "",
    /accepts a write of the value/,
  );
  const { json } = await lab.call("GET", "/redfish/v1/Systems/1");
  assert.equal(json["AssetTag"], "duet:abc:7:node1");
});

test("a BMC that refuses, hangs, fails or is gone is not proven, with its code; the outlet still is", async () => {
  for (const [fault, code] of [
    ["unauthorized", "DUET-E-REDFISH-LOGIN"],
    ["server-error", "DUET-E-REDFISH-STATUS"],
    ["hang-in-tls", "DUET-E-REDFISH-DEADLINE"],
  ] as const) {
    await clearFaults(lab.folder);
    await writeFault(lab.folder, parseFault(fault));
    assert.deepEqual(await shown(), [`BMC ${code}`, "outlet well", "Pacemaker well"], fault);
  }
  await clearFaults(lab.folder);
  assert.deepEqual(await shown({ ways: waysTo({ node2: "https://127.0.0.1:9" }) }), [
    "BMC DUET-E-REDFISH-UNREACHABLE",
    "outlet well",
    "Pacemaker well",
  ]);
});

test("an outlet that does not answer is not covered by a BMC that does", async () => {
  await writeFault(join(folder, "pdu"), parseFault("unauthorized"));
  assert.deepEqual(await shown(), ["BMC well", "outlet DUET-E-REDFISH-LOGIN", "Pacemaker well"]);
});

test("an outlet that answers slower than a fence can wait for is not proven", async () => {
  const { site } = waysTo();
  const patient = { ...site, timeouts: { ...site.timeouts, bmc_call_ms: 8_000 } };
  const ways = new Ways({ site: patient, me: "node1", folder });
  await writeFault(join(folder, "pdu"), parseFault("slow", "1"));
  assert.deepEqual(await shown({ ways }), ["BMC well", "outlet well", "Pacemaker well"]);
  // Turns so short that a command has half a second.
  const { findings, ways: proven } = await prove({ ways, turn: async () => 2_000 });
  assert.deepEqual(
    proven.map(({ code }) => code),
    [null, "DUET-E-PDU-SLOW", null],
  );
  const slow = findings.find(({ check }) => check === "PDU time");
  assert.match(slow?.detail ?? "", /the quickest of 3 answers took 1\.\d s, and a fence has 0\.5 s for it/);
});

test("the way by the outlets is proven only where every one of them answers", async () => {
  const by = (...urls: readonly string[]) => shown({ ways: waysTo({ pdu: urls }) });
  // In this test the PDU has one outlet, of the name that the first of a list has.
  assert.deepEqual(await by(at(listed.port)), ["BMC well", "outlet well", "Pacemaker well"]);
  assert.deepEqual(await by(at(listed.port), "https://127.0.0.1:9"), [
    "BMC well",
    "outlet DUET-E-REDFISH-UNREACHABLE",
    "Pacemaker well",
  ]);
});

test("credentials that others may read, and a Pacemaker without a device, or none, prove nothing", async () => {
  assert.deepEqual(
    (await shown({ devices: async () => [] })).at(-1),
    "Pacemaker DUET-E-STATUS-FENCE-UNPROVEN",
  );
  assert.deepEqual(
    (await shown({ devices: async () => undefined })).at(-1),
    "Pacemaker DUET-E-PACEMAKER-SILENT",
  );
  await chmod(credentials, 0o644);
  assert.deepEqual((await shown())[0], "BMC DUET-E-CREDENTIALS-MODE");
});

test("what was seen is kept: a failure with the time when it began, a success with its own", async () => {
  const path = join(folder, "kept", "fence-proof");
  assert.equal(await readProof(path), undefined);
  const good = (await prove()).ways;
  await writeFault(lab.folder, parseFault("unauthorized"));
  const bad = (await prove()).ways;
  const keep = (at_ms: number, ways: typeof good) =>
    keepProof({ by: "node1", target: "node2", at_ms, ways: [...ways] }, path);
  await keep(1_000, good);
  await keep(2_000, bad);
  await keep(3_000, bad);
  const kept = await readProof(path);
  assert.deepEqual([kept?.at_ms, kept?.good_ms, kept?.failing_ms], [3_000, 1_000, 2_000]);
  assert.ok(kept !== undefined && !isGood(kept));
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  const setup = { state: "done", at: "2026-01-01" } as const;
  const clock = { start_ms: 4_000, end_ms: 4_000 };
  const [failed] = judgeProof("node1", { setup, proof: kept, clock });
  assert.deepEqual([failed?.mark, failed?.code], ["fail", "DUET-E-REDFISH-LOGIN"]);
  const well = await keep(4_000, good);
  assert.deepEqual([well.good_ms, well.failing_ms], [4_000, null]);
  const marks = (end_ms: number) =>
    judgeProof("node1", { setup, proof: well, clock: { ...clock, end_ms } }).map(({ mark }) => mark);
  assert.deepEqual([marks(5_000), marks(4 * 86_400_000)], [["ok"], ["warn"]]);
  assert.equal(judgeProof("node1", { setup, clock })[0]?.mark, "warn");
});
