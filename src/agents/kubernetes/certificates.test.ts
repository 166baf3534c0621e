import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { DuetError } from "../../base/problem.ts";
import { run } from "../../machine/process.ts";
import { readKubeconfig } from "../../render/kubernetes/kubeconfig.ts";
import { kubeconfigNames, leafNames } from "../../render/kubernetes/names.ts";
import { controlPlaneSite } from "../../render/kubernetes/testing.ts";
import { keptAuthority } from "../authority.ts";
import { keptKubernetes } from "./authority.ts";
import { ensureKubernetes, type Places } from "./certificates.ts";

const base = await mkdtemp(join(tmpdir(), "duet-kubernetes-"));
after(() => rm(base, { recursive: true }));
let folder = base;
let rounds = 0;
const at = (name: string) => join(folder, name);
const files = (name: string) => ({ certificate: at(`${name}.crt`), key: at(`${name}.key`) });
const where: Places = {
  authority: (name) => files(name === "etcd" ? "etcd" : `kubernetes-${name}`),
  leaf: files,
  kubeconfig: (name) => at(`${name}.conf`),
};
const now = new Date("2026-05-06T07:08:09Z");
const { site, node1, node2 } = controlPlaneSite();
const all = [...leafNames, ...kubeconfigNames.map((name) => `${name}.conf`)];

beforeEach(async () => {
  folder = join(base, String(++rounds));
  await mkdir(folder);
  await keptKubernetes(site.name, folder, now);
  await keptAuthority(site.name, files("etcd"), now);
});

const text = (name: string) => readFile(at(name), "utf8");
const kubeconfig = async (name: string) => {
  const read = readKubeconfig(await text(`${name}.conf`));
  assert.ok(read !== undefined, name);
  return read;
};
const verify = async (ca: string, certificate: string, purpose: string) => {
  const how = ["-x509_strict", "-attime", String(now.getTime() / 1000), "-purpose", purpose];
  return (
    (await run(["openssl", "verify", ...how, "-CAfile", at(ca), certificate], { accept: "any" })).status === 0
  );
};
const shown = async (certificate: string) =>
  (await run(["openssl", "x509", "-in", certificate, "-noout", "-subject", "-ext", "subjectAltName"])).stdout;

test("made once, then found good; each is accepted by its own authority for its own purpose, and by no other", async () => {
  assert.deepEqual(await ensureKubernetes(site, node1, now, where), all);
  assert.deepEqual(await ensureKubernetes(site, node1, now, where), []);
  for (const [name, ca, purpose] of [
    ["apiserver", "kubernetes-ca.crt", "sslserver"],
    ["kubelet", "kubernetes-ca.crt", "sslserver"],
    ["apiserver-kubelet-client", "kubernetes-ca.crt", "sslclient"],
    ["front-proxy-client", "kubernetes-front-proxy-ca.crt", "sslclient"],
    ["apiserver-etcd-client", "etcd.crt", "sslclient"],
  ] as const) {
    assert.ok(await verify(ca, at(`${name}.crt`), purpose), name);
    const other = purpose === "sslserver" ? "sslclient" : "sslserver";
    assert.ok(!(await verify(ca, at(`${name}.crt`), other)), `${name} is no ${other}`);
    for (const strange of ["kubernetes-ca.crt", "kubernetes-front-proxy-ca.crt", "etcd.crt"])
      if (strange !== ca)
        assert.ok(!(await verify(strange, at(`${name}.crt`), purpose)), `${name} by ${strange}`);
  }
});

test("the API's certificate is good for every name and address that it is called by", async () => {
  await ensureKubernetes(site, node1, now, where);
  const names = await shown(at("apiserver.crt"));
  for (const each of [
    "node1",
    "localhost",
    "api.shop.example",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
  ])
    assert.match(names, new RegExp(`DNS:${each.replaceAll(".", "\\.")}(,|$)`, "m"), each);
  const certificate = new X509Certificate(await text("apiserver.crt"));
  for (const each of ["192.0.2.11", "198.51.100.11", "192.0.2.10", "198.19.0.1", "127.0.0.1", "::1"])
    assert.ok(certificate.checkIP(each), each);
  assert.equal(certificate.checkIP("192.0.2.12"), undefined, "not for its peer");
});

test("each user is who Kubernetes expects, in a kubeconfig that only its owner reads", async () => {
  await ensureKubernetes(site, node2, now, where);
  const subjects: Record<string, string> = {};
  for (const name of kubeconfigNames) {
    const { certificate, authority, server } = await kubeconfig(name);
    await writeFile(at("user.crt"), certificate);
    assert.ok(await verify("kubernetes-ca.crt", at("user.crt"), "sslclient"), name);
    assert.equal(authority, await text("kubernetes-ca.crt"));
    assert.equal(server, "https://127.0.0.1:6443");
    assert.equal((await stat(at(`${name}.conf`))).mode & 0o777, 0o600);
    subjects[name] = new X509Certificate(certificate).subject.replace("\n", ", ");
  }
  assert.deepEqual(subjects, {
    kubelet: "O=system:nodes, CN=system:node:node2",
    "controller-manager": "CN=system:kube-controller-manager",
    scheduler: "CN=system:kube-scheduler",
    proxy: "CN=system:kube-proxy",
    duet: "CN=duet:machine:node2",
  });
});

test("what is lost, broken or old is made anew with the same key, and nothing else", async () => {
  await ensureKubernetes(site, node1, now, where);
  const { key } = await kubeconfig("duet");
  await writeFile(at("scheduler.conf"), "junk");
  await rm(at("kubelet.key"));
  assert.deepEqual(await ensureKubernetes(site, node1, now, where), ["kubelet", "scheduler.conf"]);
  const later = new Date("2033-01-01T00:00:00Z");
  assert.deepEqual(await ensureKubernetes(site, node1, later, where), all);
  const renewed = await kubeconfig("duet");
  assert.equal(renewed.key.reveal(), key.reveal());
  assert.ok(new X509Certificate(renewed.certificate).validToDate > new Date("2042-01-01"));
});

test("another virtual IP or name is a new certificate for the API, and for nobody else", async () => {
  await ensureKubernetes(site, node1, now, where);
  const moved = { ...site, api: { address: "192.0.2.99" } };
  assert.deepEqual(await ensureKubernetes(moved, node1, now, where), ["apiserver"]);
});

test("the shared keys are made once: rendered again they are the same, and half of one is refused", async () => {
  const first = await keptKubernetes(site.name, folder, now);
  const again = await keptKubernetes(site.name, folder, new Date());
  assert.equal(again.authority.certificate, first.authority.certificate);
  assert.equal(again.serviceAccount.key.reveal(), first.serviceAccount.key.reveal());
  assert.match(first.serviceAccount.publicKey, /^-----BEGIN PUBLIC KEY-----/);
  for (const name of ["kubernetes-ca.key", "kubernetes-front-proxy-ca.key", "kubernetes-sa.key"]) {
    assert.equal((await stat(at(name))).mode & 0o777, 0o600);
    const kept = await text(name);
    await writeFile(at(name), "");
    await assert.rejects(
      keptKubernetes(site.name, folder, now),
      (error) => error instanceof DuetError && error.problems[0]?.code === "DUET-E-KUBERNETES-CA",
    );
    await writeFile(at(name), kept);
  }
});
