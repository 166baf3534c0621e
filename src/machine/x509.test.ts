import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { inspect } from "node:util";
import fc from "fast-check";
import { integer, oid, time } from "../base/der.ts";
import { Secret } from "../base/secret.ts";
import { run } from "./process.ts";
import { issue, issueFor, isKey, makeAuthority, makeKey, publicKeyOf } from "./x509.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-x509-"));
after(() => rm(folder, { recursive: true }));

const validity = { from: new Date("2020-01-01T00:00:00Z"), to: new Date("2071-03-04T05:06:07Z") };
const authority = makeAuthority("duet etcd CA shop-0042", makeKey(), validity);
const hosts = ["192.0.2.11", "2001:db8::1:0:5", "::1", "::", "node1", "localhost"];

test("OpenSSL accepts authority and leaf by its strict rules, for both sides of a connection", async () => {
  const leaf = issue(
    authority,
    { commonName: "node1", usages: ["server", "client"], hosts },
    makeKey(),
    validity,
  );
  const [ca, certificate] = [join(folder, "ca.crt"), join(folder, "leaf.crt")];
  await writeFile(ca, authority.certificate);
  await writeFile(certificate, leaf);
  for (const purpose of ["sslserver", "sslclient"])
    await run(["openssl", "verify", "-x509_strict", "-purpose", purpose, "-CAfile", ca, certificate]);
  const { stdout } = await run(["openssl", "x509", "-in", certificate, "-noout", "-text"]);
  assert.match(stdout, /Not Before: Jan {2}1 00:00:00 2020 GMT\s+Not After : Mar {2}4 05:06:07 2071 GMT/);
  assert.match(stdout, /IP Address:2001:DB8:0:0:0:1:0:5, IP Address:0:0:0:0:0:0:0:1/);
  assert.match(stdout, /Basic Constraints: critical\s+CA:FALSE/);
});

test("a client's certificate is no server's, and another authority's is nobody's", async () => {
  const [ca, other, certificate] = ["ca2.crt", "other.crt", "client.crt"].map((name) => join(folder, name));
  assert.ok(ca !== undefined && other !== undefined && certificate !== undefined);
  await writeFile(ca, authority.certificate);
  await writeFile(other, makeAuthority("duet etcd CA shop-0042", makeKey(), validity).certificate);
  const leaf = { commonName: "duet", usages: ["client"], hosts: [] } as const;
  await writeFile(certificate, issue(authority, leaf, makeKey(), validity));
  const verified = async (file: string, purpose: string) =>
    (await run(["openssl", "verify", "-purpose", purpose, "-CAfile", file, certificate], { accept: "any" }))
      .status === 0;
  assert.deepEqual(
    [await verified(ca, "sslclient"), await verified(ca, "sslserver"), await verified(other, "sslclient")],
    [true, false, false],
  );
});

test("a group is in the subject, before the name, and both may be longer than a host name", async () => {
  const [ca, certificate] = [join(folder, "ca3.crt"), join(folder, "node.crt")];
  const commonName = `system:node:${"n".repeat(63)}`;
  await writeFile(ca, authority.certificate);
  const publicKey = publicKeyOf(
    createPublicKey(makeKey().reveal()).export({ type: "spki", format: "pem" }).toString(),
  );
  assert.ok(publicKey !== undefined);
  const leaf = { commonName, organization: "system:nodes", usages: ["client"], hosts: [] } as const;
  await writeFile(certificate, issueFor(authority, leaf, publicKey, validity));
  await run(["openssl", "verify", "-x509_strict", "-purpose", "sslclient", "-CAfile", ca, certificate]);
  const { stdout } = await run(["openssl", "x509", "-in", certificate, "-noout", "-subject"]);
  assert.match(stdout, new RegExp(`^subject=O ?= ?system:nodes, CN ?= ?${commonName}$`, "m"));
});

test("a public key is told from what is none", () => {
  for (const text of ["", "junk", authority.certificate.slice(0, 80)])
    assert.equal(publicKeyOf(text), undefined);
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
  assert.equal(publicKeyOf(publicKey.export({ type: "spki", format: "pem" }).toString()), undefined);
});

test("every address is in a certificate as what it is", () => {
  const key = makeKey();
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (host) => {
      const leaf = { commonName: "x", usages: ["server"], hosts: [host] } as const;
      const read = new X509Certificate(issue(authority, leaf, key, validity));
      assert.ok(read.checkIP(host) !== undefined, `${host}: ${read.subjectAltName ?? ""}`);
    }),
    { numRuns: 50 },
  );
});

test("numbers, names and times are in their one form", () => {
  const hex = (der: Uint8Array) => Buffer.from(der).toString("hex");
  assert.equal(hex(integer(Buffer.from([0, 0, 1]))), "020101");
  assert.equal(hex(integer(Buffer.from([0x80]))), "02020080");
  assert.equal(hex(integer(Buffer.from([0]))), "020100");
  assert.equal(hex(oid("1.2.840.10045.4.3.2")), "06082a8648ce3d040302");
  assert.equal(
    Buffer.from(time(new Date("2049-12-31T23:59:59Z"))).toString("latin1"),
    "\x17\x0d491231235959Z",
  );
  assert.equal(
    Buffer.from(time(new Date("2050-01-01T00:00:00Z"))).toString("latin1"),
    "\x18\x0f20500101000000Z",
  );
});

test("a key is told from what is none, and is never printed", () => {
  const key = makeKey();
  assert.ok(isKey(key));
  for (const text of ["", "junk", authority.certificate]) assert.ok(!isKey(new Secret(text)), text);
  assert.ok(!inspect({ key }).includes("PRIVATE") && !JSON.stringify({ key }).includes("PRIVATE"));
});
