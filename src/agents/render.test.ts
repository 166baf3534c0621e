import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { testTls } from "../../lab/bmc/testing.ts";
import { DuetError } from "../base/problem.ts";
import { machineSite } from "../render/machine-site.ts";
import { readSite } from "../site/read.ts";
import { minimal } from "../site/samples.ts";
import { renderSite } from "./render.ts";

const { key: private_key, cert } = await testTls();
const base = await mkdtemp(join(tmpdir(), "duet-render-"));
after(() => rm(base, { recursive: true }));
let folder = base;
let rounds = 0;
const site = () => join(folder, "site.yaml");
const out = () => join(folder, "out");

const with_ca = minimal
  .replace("{ env: NODE2_BMC }", "{ file: node2.bmc }")
  .replaceAll(/(credentials: .*\n)/g, "$1      trust: { ca: ca.crt }\n");

beforeEach(async () => {
  folder = join(base, String(++rounds));
  await mkdir(folder);
  await writeFile(site(), with_ca);
  await writeFile(join(folder, "admin.pub"), "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBBBB admin\n");
  await writeFile(join(folder, "ca.crt"), `Certificate:\n  hello\n${cert}`);
  for (const name of ["node1", "node2"])
    await writeFile(join(folder, `${name}.bmc`), "admin:hunter2\n", { mode: 0o600 });
});

async function refused(work: Promise<unknown>, status = 2): Promise<readonly string[]> {
  const error: unknown = await work.then(
    () => assert.fail("not refused"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof DuetError, String(error));
  assert.equal(error.status, status);
  return error.problems.map((problem) => problem.code);
}

test("a site is rendered for its owner alone, and again with the same key", async () => {
  const files = await renderSite(site(), out());
  assert.deepEqual(
    files,
    ["node1.ign", "node2.ign"].map((name) => join(out(), name)),
  );
  const first = await readFile(join(out(), "node1.ign"), "utf8");
  await renderSite(site(), out());
  assert.equal(await readFile(join(out(), "node1.ign"), "utf8"), first);
  for (const name of await readdir(out())) assert.equal((await stat(join(out(), name))).mode & 0o777, 0o600);
  assert.equal((await stat(out())).mode & 0o777, 0o700);
  // What stood round the certificate in the file is not the machines' matter.
  assert.ok(!first.includes(Buffer.from("Certificate:").toString("base64")));
  assert.ok(first.includes(Buffer.from(cert).toString("base64")));
});

test("an address that nobody holds is told, and no reason to write nothing", async () => {
  const rendered = async (more: string) => {
    await writeFile(site(), `${with_ca}${more}`);
    const told: string[] = [];
    const files = await renderSite(site(), out(), (line) => void told.push(line));
    assert.equal(files.length, 2);
    return told.join("");
  };
  assert.equal(await rendered(""), "");
  assert.equal(await rendered("api: { address: 192.0.2.10 }\nkubernetes: {}\n"), "");
  const told = await rendered("api: { address: 192.0.2.10 }\n");
  assert.ok(
    told.startsWith(`${site()}: nobody holds 192.0.2.10: `) && told.endsWith("[DUET-E-API-UNHELD]\n"),
    told,
  );
});

test("everything wrong behind the site file is told at once, and nothing is written", async () => {
  await writeFile(join(folder, "admin.pub"), private_key);
  await writeFile(join(folder, "ca.crt"), "junk");
  await rm(join(folder, "node2.bmc"));
  assert.deepEqual(await refused(renderSite(site(), out())), [
    "DUET-E-CREDENTIALS-MISSING",
    "DUET-E-SSH-KEY",
    "DUET-E-TRUST-FILE",
  ]);
  assert.ok(!(await readdir(folder)).includes("out"));
});

test("a folder in the place of a key or certificate is refused", async () => {
  for (const name of ["admin.pub", "ca.crt"]) {
    await rm(join(folder, name));
    await mkdir(join(folder, name));
  }
  assert.deepEqual(await refused(renderSite(site(), out())), ["DUET-E-SSH-KEY", "DUET-E-TRUST-FILE"]);
});

test("a private key beside a certificate never reaches a machine", async () => {
  await writeFile(join(folder, "ca.crt"), `${cert}${private_key}`);
  assert.deepEqual(await refused(renderSite(site(), out())), ["DUET-E-TRUST-FILE"]);
});

test("a folder that can't be written to is the user's to mend", { timeout: 20_000 }, async () => {
  await writeFile(out(), "");
  for (const wrong of [out(), join(out(), "below"), "/proc/duet-none"])
    assert.deepEqual(await refused(renderSite(site(), wrong)), ["DUET-E-RENDER-WRITE"], wrong);
});

test("a folder in the place of the last file is found before the first is written", async () => {
  await mkdir(join(out(), "node2.ign"), { recursive: true });
  assert.deepEqual(await refused(renderSite(site(), out())), ["DUET-E-RENDER-WRITE"]);
  assert.ok(!(await readdir(out())).includes("node1.ign"));
});

test("a damaged key of the cluster is refused: with another one, machines rendered later would stand alone", async () => {
  await renderSite(site(), out());
  const path = join(out(), "corosync.key");
  const whole = await readFile(path, "utf8");
  for (const text of ["", whole.slice(0, 100), `${whole}AAAA`, "!".repeat(344), whole.repeat(20)]) {
    await writeFile(path, text);
    assert.deepEqual(await refused(renderSite(site(), out())), ["DUET-E-COROSYNC-KEY"], text);
    assert.equal(await readFile(path, "utf8"), text);
  }
  await rm(path);
  await mkdir(path);
  assert.deepEqual(await refused(renderSite(site(), out())), ["DUET-E-COROSYNC-KEY"]);
});

test("what this version can't render is status 3", async () => {
  await writeFile(site(), with_ca.replace("dual-replica", "pair"));
  assert.deepEqual(await refused(renderSite(site(), out()), 3), ["DUET-E-NOT-YET"]);
});

test("a BMC that is known by its fingerprint is known by it on the machines too", async () => {
  const sha256 = "ab".repeat(32);
  const text = with_ca.replaceAll("ca: ca.crt", `fingerprint: "${sha256}"`);
  await writeFile(site(), text);
  await renderSite(site(), out());
  const written = readSite(text, "site.yaml").site;
  assert.ok(written !== undefined);
  const read = readSite(machineSite(written), "site.yaml").site;
  assert.deepEqual(
    read?.machines.map(({ bmc }) => bmc.trust),
    Array.from({ length: 2 }, () => ({ by: "fingerprint", sha256 })),
  );
});

test("each outlet of a list keeps its own login, in a file of its own; one that is missing renders nothing", async () => {
  const outlet = (name: string) =>
    `{ address: pdu-${name}.example, outlet: /redfish/v1/o/1, credentials: { file: ${name}.pdu } }`;
  const text = `${with_ca}    pdu: [${outlet("a")}, ${outlet("b")}]\n`;
  await writeFile(site(), text);
  await writeFile(join(folder, "b.pdu"), "power:of b\n", { mode: 0o600 });
  assert.deepEqual(await refused(renderSite(site(), out())), ["DUET-E-CREDENTIALS-MISSING"]);
  await writeFile(join(folder, "a.pdu"), "power:of a\n", { mode: 0o600 });
  await renderSite(site(), out());
  const rendered = await readFile(join(out(), "node1.ign"), "utf8");
  const written = readSite(text, "site.yaml").site;
  assert.ok(written !== undefined);
  const [, node2] = readSite(machineSite(written), "site.yaml").site?.machines ?? [];
  const contents = node2?.pdus.map(({ credentials }) => {
    assert.ok("file" in credentials);
    const found = JSON.stringify(credentials.file);
    const [, source = ""] = rendered.split(found)[1]?.match(/base64,([A-Za-z0-9+/=]+)/) ?? [];
    return Buffer.from(source, "base64").toString();
  });
  assert.deepEqual(contents, ["power:of a\n", "power:of b\n"]);
});
