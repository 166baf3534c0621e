import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { clearFaults, parseFault, writeFault } from "../../../lab/bmc/fault.ts";
import { bench, FakeMetal, password, testTls, username } from "../../../lab/bmc/testing.ts";
import { fakeService, fingerprintOf } from "../../redfish/testing.ts";
import { readSite } from "../../site/read.ts";
import { minimal } from "../../site/samples.ts";
import type { Bmc, Machine, Site } from "../../site/site.ts";
import { checkAlerts, judgeAlerts } from "./alerts.ts";
import { checkBmc } from "./bmc.ts";
import { checkWorld } from "./check.ts";
import type { Finding } from "./finding.ts";
import { checkPdus } from "./pdu.ts";
import { probe, writes_max } from "./probe.ts";
import { probeBySsh } from "./ssh.ts";

const kit = { tls: await testTls(), login: { username, password } };
const lab = await bench({ metal: new FakeMetal(true) });
const folder = await mkdtemp(join(tmpdir(), "duet-check-"));
after(async () => {
  await lab[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  await clearFaults(lab.folder);
  await writeFile(join(folder, "bmc"), `${username}:${password}\n`);
  await chmod(join(folder, "bmc"), 0o600);
});

function siteOf(bmc: Partial<Bmc> = {}, more: Partial<Site> = {}): { site: Site; machine: Machine } {
  const { site } = readSite(minimal, "site.yaml");
  const first = site?.machines[0];
  assert.ok(site !== undefined && first !== undefined);
  const machine: Machine = {
    ...first,
    // Nothing but this box: no test sends a packet further.
    addresses: ["127.0.0.1"],
    bmc: {
      url: `https://127.0.0.1:${lab.bmc.port}`,
      credentials: { file: "bmc" },
      trust: { by: "fingerprint", sha256: fingerprintOf(kit) },
      ...bmc,
    },
  };
  return { machine, site: { ...site, machines: [machine], ssh_keys: ["admin.pub"], ...more } };
}

const lines = (findings: readonly Finding[]) => findings.map(({ check, mark }) => `${mark} ${check}`);

async function bmcLines(bmc: Partial<Bmc> = {}, more: Partial<Site> = {}): Promise<readonly string[]> {
  const { site, machine } = siteOf(bmc, more);
  return lines(await checkBmc(machine, { site, folder }));
}

/** Of a site whose machines were never switched off for a test. */
const turn = async () => 70_000;
const timeouts = { token_ms: 1500, bmc_call_ms: 300, fence_ms: 60_000 };

test("a BMC in order passes every step, and its tag is as before", async () => {
  await lab.call("PATCH", "/redfish/v1/Systems/1", { body: { AssetTag: "duet:abc:7:node1" } });
  assert.deepEqual(await bmcLines(), [
    "ok BMC reachable",
    "ok BMC certificate",
    "ok BMC login",
    "ok power state",
    "ok BMC tag",
  ]);
  const { json } = await lab.call("GET", "/redfish/v1/Systems/1");
  assert.equal(json["AssetTag"], "duet:abc:7:node1");
  // No promise about a new one: against a BMC that lies, writing back what is there proves nothing.
  const { site, machine } = siteOf();
  const tag = (await checkBmc(machine, { site, folder })).at(-1);
  assert.match(tag?.detail ?? "", /^accepts a write of the value that is there; .* only setup tests$/);
});

test("the tag of another duet site is said with what to do, whether it is only read or written back", async () => {
  const others = "duet:0123456789ab:7:1";
  await lab.call("PATCH", "/redfish/v1/Systems/1", { body: { AssetTag: others } });
  const { site, machine } = siteOf();
  for (const how of ["read", "write"] as const) {
    const tag = (await checkBmc(machine, { site, folder }, how)).at(-1);
    assert.deepEqual([tag?.check, tag?.mark], ["BMC tag", "fail"], how);
    assert.match(tag?.detail ?? "", /tag of another duet site \(duet:0123456789ab:7:1\)/);
    assert.match(tag?.fix ?? "", /empty the asset tag/);
  }
});

test("the first step that fails is the last, with the way out", async () => {
  const { site, machine } = siteOf({ trust: { by: "system" } });
  const findings = await checkBmc(machine, { site, folder });
  assert.deepEqual(lines(findings), ["ok BMC reachable", "fail BMC certificate"]);
  assert.ok(findings[1]?.fix?.includes(fingerprintOf(kit)));
});

test("a wrong password is told as such, the certificate before it as trusted", async () => {
  await writeFile(join(folder, "bmc"), "admin:wrong\n");
  const found = await bmcLines();
  assert.deepEqual(found.slice(0, 2), ["ok BMC reachable", "ok BMC certificate"]);
  assert.deepEqual(found.slice(2), ["fail BMC login"]);
});

test("credentials that can't be read are a finding, not the end", async () => {
  await chmod(join(folder, "bmc"), 0o644);
  assert.deepEqual(await bmcLines(), ["ok BMC reachable", "fail BMC login"]);
});

test("a BMC that takes any certificate is a warning", async () => {
  assert.ok((await bmcLines({ trust: { by: "nothing" } })).includes("warn BMC certificate"));
});

test("only a certificate that is not trusted is the certificate's fault", async () => {
  for (const [fault, found] of [
    ["hang-after-connect", ["fail BMC answer"]],
    ["hang-in-tls", ["fail BMC answer"]],
    ["drip", ["fail BMC answer"]],
    ["server-error", ["ok BMC certificate", "fail BMC answer"]],
    ["unauthorized", ["ok BMC certificate", "fail BMC login"]],
  ] as const) {
    await clearFaults(lab.folder);
    await writeFault(lab.folder, parseFault(fault));
    assert.deepEqual(await bmcLines({}, { timeouts }), ["ok BMC reachable", ...found], fault);
  }
});

test("a password that is wrong is found where the service root is open to everybody and the System is named", async () => {
  const system = "/redfish/v1/Systems/1";
  await using fake = await fakeService(kit, ({ path }) =>
    path === system ? { status: 401 } : { body: { Systems: { "@odata.id": "/redfish/v1/Systems" } } },
  );
  const found = await bmcLines({ url: `https://127.0.0.1:${fake.port}`, system });
  assert.deepEqual(found, ["ok BMC reachable", "ok BMC certificate", "fail BMC login"]);
});

test("a tag that is only noted for later is no witness; with witness off nobody writes one", async () => {
  await writeFault(lab.folder, parseFault("accepted-no-effect"));
  assert.equal((await bmcLines()).at(-1), "fail BMC tag");
  assert.equal((await bmcLines({}, { witness: "off" })).at(-1), "note BMC tag");
});

test("without an ETag the tag is not written", async () => {
  const system = "/redfish/v1/Systems/1";
  await using fake = await fakeService(kit, ({ path }) => ({
    body:
      path === system
        ? { PowerState: "On", AssetTag: "x" }
        : { Systems: { "@odata.id": "/redfish/v1/Systems" } },
  }));
  const found = await bmcLines({ url: `https://127.0.0.1:${fake.port}`, system });
  assert.equal(found.at(-1), "warn BMC tag");
  assert.deepEqual(new Set(fake.asked.map((each) => each.method)), new Set(["GET"]));
});

test("a machine without a PDU gets the note that a lost power feed needs a person", async () => {
  const { site, machine } = siteOf();
  const [finding] = await checkPdus(machine, { site, folder }, turn);
  assert.equal(finding?.mark, "note");
  assert.match(finding?.fix ?? "", /a person must then/);
});

test("a PDU's certificate that is not trusted is told as such", async () => {
  await using fake = await fakeService(kit, () => ({ status: 500 }));
  const { site, machine } = siteOf();
  const pdu = { ...machine.bmc, url: `https://127.0.0.1:${fake.port}`, outlet: "/redfish/v1/o" };
  const found = async (trust: Bmc["trust"]) =>
    lines(await checkPdus({ ...machine, pdus: [{ ...pdu, trust }] }, { site, folder }, turn)).slice(1);
  assert.deepEqual(await found({ by: "system" }), ["fail PDU certificate"]);
  assert.deepEqual(await found(pdu.trust), ["ok PDU certificate", "fail PDU answer"]);
});

test("an outlet is read like a BMC, and fences like one, unless by the stock agent", async () => {
  await using fake = await fakeService(kit, () => ({ body: { PowerState: "Off" } }));
  const { site, machine } = siteOf();
  const pdu = { ...machine.bmc, url: `https://127.0.0.1:${fake.port}`, outlet: "/redfish/v1/o" };
  assert.deepEqual(lines(await checkPdus({ ...machine, pdus: [pdu] }, { site, folder }, turn)), [
    "ok PDU reachable",
    "ok PDU certificate",
    "warn PDU outlet",
  ]);
  const stock = { ...site, fencing: { ...site.fencing, agent: "fence_redfish" as const } };
  const [last] = lines(await checkPdus({ ...machine, pdus: [pdu] }, { site: stock, folder }, turn)).slice(-1);
  assert.equal(last, "note PDU fencing");
});

test("of several outlets each is tested by itself, and named by its place", async () => {
  await using well = await fakeService(kit, () => ({ body: { PowerState: "On" } }));
  await using off = await fakeService(kit, () => ({ body: { PowerState: "Off" } }));
  await using ill = await fakeService(kit, () => ({ status: 401 }));
  const { site, machine } = siteOf();
  const pdus = [well, off, ill].map(({ port }) => ({
    ...machine.bmc,
    url: `https://127.0.0.1:${port}`,
    outlet: "/redfish/v1/o",
  }));
  const stock = { ...site, fencing: { ...site.fencing, agent: "fence_redfish" as const } };
  const found = await checkPdus({ ...machine, pdus }, { site: stock, folder }, turn);
  assert.deepEqual(lines(found), [
    "ok PDU 1 reachable",
    "ok PDU 1 certificate",
    "ok PDU 1 outlet",
    "ok PDU 2 reachable",
    "ok PDU 2 certificate",
    "warn PDU 2 outlet",
    "ok PDU 3 reachable",
    "ok PDU 3 certificate",
    "fail PDU 3 login",
  ]);
  assert.match(found[2]?.detail ?? "", /that the 3 of them feed the whole machine/);
  assert.match(found[5]?.fix ?? "", /has one supply less/);
});

test("the probe measures, and leaves nothing in the folder", async () => {
  const report = await probe(folder, "0.0.0");
  assert.ok(report.disk.writes > 0 && report.disk.writes <= writes_max);
  assert.ok(report.disk.max_ms >= report.disk.p99_ms && report.disk.p99_ms >= report.disk.p50_ms);
  assert.ok(report.clock.end_ms >= report.clock.start_ms);
  await assert.rejects(readFile(join(folder, `.duet-probe-${process.pid}`)));
  await assert.rejects(probe(join(folder, "none"), ""), /can't write there/);
});

/** A program named ssh in front of the real one, for one test. */
async function withSsh<T>(script: string, work: () => Promise<T>): Promise<T> {
  await writeFile(join(folder, "ssh"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const before = process.env["PATH"];
  process.env["PATH"] = `${folder}:${before}`;
  try {
    return await work();
  } finally {
    process.env["PATH"] = before;
  }
}

test("clock and disk come over ssh; anything else that it prints is a finding", async () => {
  const { site } = siteOf();
  const context = { site, folder };
  const report = await probe(folder, "0.0.0");
  await writeFile(join(folder, "report.json"), JSON.stringify(report));
  const good = await withSsh(`cat ${folder}/report.json`, () => probeBySsh("node1", "127.0.0.1", context));
  assert.ok(good.ok);
  assert.deepEqual(good.report, report);
  for (const [script, mark] of [
    ["echo hello", "fail"],
    ["echo 'duet: not found' >&2; exit 127", "warn"],
    ["echo 'Permission denied' >&2; exit 255", "fail"],
  ] as const) {
    const bad = await withSsh(script, () => probeBySsh("node1", "127.0.0.1", context));
    assert.ok(!bad.ok && bad.finding.mark === mark, script);
  }
});

test("the whole world of a site is checked at once, each thing under its machine", async () => {
  const { site, machine } = siteOf();
  const two = { ...site, machines: [machine, { ...machine, name: "node2" }] };
  const said: string[] = [];
  const findings = await checkWorld({ site: two, folder }, (detail) => said.push(detail));
  assert.deepEqual([...new Set(findings.map((finding) => finding.subject))].toSorted(), [
    "node1",
    "node2",
    "site",
  ]);
  assert.deepEqual(lines(findings.filter((finding) => finding.subject === "site")).slice(0, 1), [
    "fail ssh key",
  ]);
  // Both trust a fingerprint.
  assert.deepEqual(
    findings.filter(({ check }) => check === "render"),
    [],
  );
  assert.equal(findings.filter((finding) => finding.check === "BMC tag").length, 2);
  assert.equal(said.at(-1), "");
  for (const { mark, fix, check } of findings)
    assert.ok(mark === "ok" || check === "BMC tag" || fix !== undefined, check);
});

test("what the alerts refer to is checked here, and each way is judged by what a machine says of it", async () => {
  const { site } = siteOf();
  const [none] = await checkAlerts({ site, folder });
  assert.ok(none?.mark === "note" && none.detail.startsWith("nobody is told"));
  const url = "https://127.0.0.1:1/duet";
  const alerts: Site["alerts"] = [
    { by: "webhook", url, headers: "bmc", trust: { by: "system" } },
    { by: "webhook", url, headers: "missing", trust: { by: "system" } },
    { by: "webhook", url, trust: { by: "nothing" } },
    { by: "syslog", facility: "daemon" },
  ];
  await writeFile(join(folder, "bmc"), "X-Token: abc\n");
  const marks = (await checkAlerts({ site: { ...site, alerts }, folder })).map(({ mark, code }) => [
    mark,
    code,
  ]);
  assert.deepEqual(marks, [
    ["ok", undefined],
    ["fail", "DUET-E-ALERT-FILE"],
    ["warn", undefined],
    ["ok", undefined],
  ]);
  assert.deepEqual(judgeAlerts("node1", undefined), []);
  assert.deepEqual(
    lines(
      judgeAlerts("node1", [{ way: "mail ops@example.org", ok: false, detail: "no", code: "X", fix: "y" }]),
    ),
    ["fail alert mail ops@example.org"],
  );
});
