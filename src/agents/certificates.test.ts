import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { DuetError } from "../base/problem.ts";
import { readSite } from "../site/read.ts";
import { minimal } from "../site/samples.ts";
import { keptAuthority } from "./authority.ts";
import { ensureCertificates } from "./certificates.ts";

const base = await mkdtemp(join(tmpdir(), "duet-certificates-"));
after(() => rm(base, { recursive: true }));
let folder = base;
let rounds = 0;
const files = (name: string) => ({
  certificate: join(folder, `${name}.crt`),
  key: join(folder, `${name}.key`),
});
const all = ["server", "peer", "client"];
const now = new Date("2026-05-06T07:08:09Z");
const later = (years: number) => new Date(Date.UTC(2026 + years, 5, 1));

const { site } = readSite(minimal, "site.yaml");
const machine = site?.machines[0];
assert.ok(machine !== undefined);

beforeEach(async () => {
  folder = join(base, String(++rounds));
  await mkdir(folder);
  await keptAuthority("shop-0042", files("ca"), now);
});

const text = (name: string, what: "certificate" | "key") => readFile(files(name)[what], "utf8");
const read = async (name: string) => new X509Certificate(await text(name, "certificate"));

test("made once, then found good; keys are their owner's alone", async () => {
  assert.deepEqual(await ensureCertificates(machine, now, files), all);
  assert.deepEqual(await ensureCertificates(machine, now, files), []);
  for (const name of ["ca", ...all]) assert.equal((await stat(files(name).key)).mode & 0o777, 0o600);
  const server = await read("server");
  for (const address of [...machine.addresses, "127.0.0.1", "::1"])
    assert.ok(server.checkIP(address), address);
  for (const host of ["node1", "localhost"]) assert.ok(server.checkHost(host), host);
  assert.equal(server.checkIP("192.0.2.12"), undefined);
});

test("renewed years before the end, with the same key and authority", async () => {
  await ensureCertificates(machine, now, files);
  const [key, ca, first] = [await text("peer", "key"), await text("ca", "certificate"), await read("peer")];
  assert.deepEqual(await ensureCertificates(machine, later(4), files), []);
  assert.deepEqual(await ensureCertificates(machine, later(6), files), all);
  const second = await read("peer");
  assert.deepEqual([await text("peer", "key"), await text("ca", "certificate")], [key, ca]);
  assert.ok(
    second.validToDate > first.validToDate && second.validToDate < new X509Certificate(ca).validToDate,
  );
  assert.notEqual(second.serialNumber, first.serialNumber);
});

test("a machine whose clock is years behind can use them, and one that made them then too", async () => {
  await ensureCertificates(machine, new Date("1970-01-01T00:00:00Z"), files);
  const { validFromDate, validToDate } = await read("server");
  assert.ok(validFromDate <= new Date("2020-01-01") && validToDate >= new Date("2030-01-01"));
  assert.deepEqual(await ensureCertificates(machine, now, files), all, "made anew once the clock is right");
});

test("what is lost, broken, of other addresses or of another authority is made anew, and nothing else", async () => {
  await ensureCertificates(machine, now, files);
  const made = async () => await ensureCertificates(machine, now, files);
  await rm(files("peer").key);
  assert.deepEqual(await made(), ["peer"]);
  await writeFile(
    files("client").certificate,
    "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
  );
  assert.deepEqual(await made(), ["client"]);
  await writeFile(files("server").key, "");
  assert.deepEqual(await made(), ["server"]);
  const moved = { ...machine, addresses: ["192.0.2.99"] };
  assert.deepEqual(await ensureCertificates(moved, now, files), ["server", "peer"]);
  for (const part of Object.values(files("ca"))) await rm(part);
  await keptAuthority("shop-0042", files("ca"), now);
  assert.deepEqual(await ensureCertificates(moved, now, files), all, "of the same name, but another key");
});

test("an authority is never replaced: a part that is lost or does not fit is told", async () => {
  const refused = async (work: Promise<unknown>) =>
    await assert.rejects(
      work,
      (error) => error instanceof DuetError && error.problems[0]?.code === "DUET-E-ETCD-CA",
    );
  const key = await text("ca", "key");
  await rm(files("ca").key);
  await refused(keptAuthority("shop-0042", files("ca"), now));
  await refused(ensureCertificates(machine, now, files));
  await ensureKey("other");
  await writeFile(files("ca").key, await text("other", "key"), { mode: 0o600 });
  await refused(keptAuthority("shop-0042", files("ca"), now));
  await rm(files("ca").certificate);
  await writeFile(files("ca").key, "junk", { mode: 0o600 });
  await refused(keptAuthority("shop-0042", files("ca"), now));
  // Cut off between the two files: the key is there, and stays.
  await writeFile(files("ca").key, key, { mode: 0o600 });
  assert.equal((await keptAuthority("shop-0042", files("ca"), now)).key.reveal(), key);
});

async function ensureKey(name: string): Promise<void> {
  await keptAuthority("another", files(name), now);
}
