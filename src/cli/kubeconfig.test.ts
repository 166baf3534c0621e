import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { keptKubernetes } from "../agents/kubernetes/authority.ts";
import { adminKubeconfig, daysOf, signAdmin } from "../agents/kubernetes/admin.ts";
import { DuetError } from "../base/problem.ts";
import { run } from "../machine/process.ts";
import { readKubeconfig } from "../render/kubernetes/kubeconfig.ts";
import { controlPlaneSite } from "../render/kubernetes/testing.ts";
import { controlPlane, minimal } from "../site/samples.ts";

const main = join(import.meta.dirname, "main.ts");
const folder = await mkdtemp(join(tmpdir(), "duet-kubeconfig-"));
after(() => rm(folder, { recursive: true }));
const duet = (...args: readonly string[]) =>
  run([process.execPath, "--disable-warning=ExperimentalWarning", main, "kubeconfig", ...args], {
    accept: "any",
    cwd: folder,
  });

const { site } = controlPlaneSite();
const now = new Date("2026-05-06T07:08:09Z");
const { authority } = await keptKubernetes(site.name, folder, now);
const codeOf = (work: () => unknown): string | undefined => {
  try {
    work();
  } catch (error) {
    if (error instanceof DuetError) return error.problems[0]?.code;
  }
  return undefined;
};

test("an administrator for as long as was asked, by a key that was made here", async () => {
  let sent = "";
  const made = await adminKubeconfig(site, (publicKey) => {
    sent = publicKey;
    return Promise.resolve(signAdmin(authority, publicKey, 7, now));
  });
  assert.match(sent, /^-----BEGIN PUBLIC KEY-----/);
  assert.equal(made.server, "https://192.0.2.10:6443");
  assert.equal(made.expires, "2026-05-13T07:08:09.000Z");
  const config = readKubeconfig(made.text);
  assert.ok(config !== undefined);
  const certificate = new X509Certificate(config.certificate);
  assert.equal(certificate.subject, "O=duet:admins\nCN=duet:admin");
  assert.ok(!certificate.subject.includes("system:masters"), "what can't be taken away is not given");
  await writeFile(join(folder, "admin.crt"), config.certificate);
  await run([
    "openssl",
    "verify",
    "-x509_strict",
    "-attime",
    String(now.getTime() / 1000),
    "-purpose",
    "sslclient",
    "-CAfile",
    join(folder, "kubernetes-ca.crt"),
    join(folder, "admin.crt"),
  ]);
});

test("junk is not signed", () => {
  for (const text of ["", "hello"])
    assert.equal(
      codeOf(() => signAdmin(authority, text, 1, now)),
      "DUET-E-KUBECONFIG-KEY",
      text,
    );
});

test("days are whole, and not more than a year", () => {
  for (const text of ["0", "366", "-1", "1.5", "x", ""])
    assert.equal(
      codeOf(() => daysOf(text)),
      "DUET-E-KUBECONFIG-DAYS",
      text,
    );
  assert.deepEqual(["1", "365"].map(daysOf), [1, 365]);
});

test("what is wrong is told before anybody is asked", async () => {
  await writeFile(join(folder, "plain.yaml"), minimal);
  const none = await duet("plain.yaml", "--json");
  assert.equal(none.status, 3);
  assert.match(none.stdout, /DUET-E-KUBERNETES-NONE/);
  await writeFile(join(folder, "site.yaml"), controlPlane);
  const days = await duet("--days", "999");
  assert.equal(days.status, 2);
  assert.match(days.stderr, /DUET-E-KUBECONFIG-DAYS/);
  const sign = await duet("--sign", "--json");
  assert.equal(sign.status, 2);
  assert.match(sign.stdout, /DUET-E-USAGE/);
  const both = await duet("-o", "-", "--json");
  assert.equal(both.status, 2);
  assert.match(both.stdout, /DUET-E-USAGE/);
});

test("help shows how it is used, and how it ends", async () => {
  const { status, stdout } = await duet("--help");
  assert.equal(status, 0);
  assert.match(stdout, /Examples:\n {2}duet kubeconfig [^]*Exit status:/);
  assert.doesNotMatch(stdout, /--sign/);
});

test("a file that is there is left alone, and one that is written is its owner's", async () => {
  const { writeKubeconfig } = await import("./kubeconfig-command.ts");
  const file = join(folder, "kubeconfig");
  await writeKubeconfig(file, "one", false);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  await assert.rejects(writeKubeconfig(file, "two", false), DuetError);
  assert.equal(await readFile(file, "utf8"), "one");
  await writeKubeconfig(file, "two", true);
  assert.equal(await readFile(file, "utf8"), "two");
  await assert.rejects(writeKubeconfig(join(folder, "no", "file"), "x", true), DuetError);
});
