import assert from "node:assert/strict";
import { test } from "node:test";
import { readSite } from "./read.ts";
import { controlPlane, minimal } from "./samples.ts";
import { writeSite } from "./write.ts";

const read = (text: string) => readSite(text, "site.yaml");
const codes = (more: string) => read(`${minimal}${more}`).problems.map(({ code }) => code);

test("a control plane with every default, and one with its own words", () => {
  const { site } = read(`${minimal}kubernetes: {}\n`);
  assert.deepEqual(site?.kubernetes, {
    version: "1.36.3",
    pods: "10.244.0.0/16",
    services: "10.96.0.0/16",
    names: [],
    images: {
      apiserver: "registry.k8s.io/kube-apiserver:v1.36.3",
      controller_manager: "registry.k8s.io/kube-controller-manager:v1.36.3",
      scheduler: "registry.k8s.io/kube-scheduler:v1.36.3",
      proxy: "registry.k8s.io/kube-proxy:v1.36.3",
      dns: "registry.k8s.io/coredns/coredns:v1.14.2",
      pause: "registry.k8s.io/pause:3.10.2",
    },
  });
  const own = read(controlPlane).site;
  assert.equal(own?.kubernetes?.images.apiserver, "registry.example:5000/kube/apiserver:v1.36.3");
  assert.equal(own?.kubernetes?.images.proxy, "registry.k8s.io/kube-proxy:v1.36.3");
});

test("it reads back from the file that it is written to, and a site without one has no word of it", () => {
  for (const text of [controlPlane, `${minimal}kubernetes: { version: 1.35.0 }\n`]) {
    const { site } = read(text);
    assert.ok(site !== undefined);
    assert.deepEqual(read(writeSite(site)), { site, problems: [] });
  }
  const plain = read(minimal).site;
  assert.ok(plain !== undefined && !("kubernetes" in plain));
  assert.doesNotMatch(writeSite(plain), /kubernetes/);
});

test("the defaults are of the family of the first link", () => {
  const six = minimal.replaceAll("192.0.2.", "2001:db8:1::");
  const { site, problems } = read(`${six}kubernetes: {}\n`);
  assert.deepEqual(problems, []);
  assert.equal(site?.kubernetes?.pods, "fd00:10:244::/56");
  assert.equal(site.kubernetes.services, "fd00:10:96::/112");
  assert.deepEqual(
    read(`${six}kubernetes: { pods: 10.244.0.0/16 }\n`).problems.map(({ code }) => code),
    ["DUET-E-SITE-NETWORK"],
  );
});

test("each mistake has its own sentence", () => {
  for (const [text, code] of [
    ["kubernetes:\n", "DUET-E-SITE-TYPE"],
    ["kubernetes: on\n", "DUET-E-SITE-TYPE"],
    ["kubernetes: { version: 1.36 }\n", "DUET-E-SITE-VERSION"],
    ["kubernetes: { version: v1.36.3 }\n", "DUET-E-SITE-VERSION"],
    ["kubernetes: { version: 1.34.9 }\n", "DUET-E-SITE-VERSION"],
    ["kubernetes: { pods: 10.244.0.1/16 }\n", "DUET-E-SITE-NETWORK"],
    ["kubernetes: { pods: 10.244.0.0/24 }\n", "DUET-E-SITE-NETWORK"],
    ["kubernetes: { services: 172.0.0.0/8 }\n", "DUET-E-SITE-NETWORK"],
    ["kubernetes: { services: 10.244.4.0/22 }\n", "DUET-E-SITE-OVERLAP"],
    ["kubernetes: { pods: 10.96.0.0/15 }\n", "DUET-E-SITE-OVERLAP"],
    ["kubernetes: { pods: 192.0.0.0/16 }\n", "DUET-E-SITE-OVERLAP"],
    ["kubernetes: { services: 203.0.113.0/24 }\n", "DUET-E-SITE-OVERLAP"],
    ["api: { address: 10.96.0.5 }\nkubernetes: {}\n", "DUET-E-SITE-OVERLAP"],
    ["kubernetes: { images: { dns: coredns } }\n", "DUET-E-SITE-IMAGE"],
    ["kubernetes: { images: { dns: registry.example/coredns } }\n", "DUET-E-SITE-IMAGE"],
    ["kubernetes: { images: { dns: https://registry.example/coredns:1 } }\n", "DUET-E-SITE-IMAGE"],
    ["kubernetes: { images: { etcd: registry.example/etcd:1 } }\n", "DUET-E-SITE-UNKNOWN-KEY"],
    ["kubernetes: { names: [https://api.example] }\n", "DUET-E-SITE-ADDRESS"],
    ["kubernetes: { names: api.example }\n", "DUET-E-SITE-TYPE"],
    ["kubernetes: { names: [10.0.0.300] }\n", "DUET-E-SITE-ADDRESS"],
    ["kubernets: {}\n", "DUET-E-SITE-UNKNOWN-KEY"],
  ] as const)
    assert.deepEqual(codes(text), [code], text);
});

test("images as the lab and OpenShift have them are taken", () => {
  for (const image of [
    "localhost/hyperkube:lab",
    "registry.k8s.io/kube-apiserver:v1.36.3",
    `quay.io/openshift-release-dev/ocp@sha256:${"a".repeat(64)}`,
  ])
    assert.deepEqual(codes(`kubernetes: { images: { apiserver: "${image}" } }\n`), [], image);
});
