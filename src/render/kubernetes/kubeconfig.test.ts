import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { parse } from "yaml";
import { Secret } from "../../base/secret.ts";
import { kubeconfigText, readKubeconfig } from "./kubeconfig.ts";

const config = {
  cluster: "shop-0042",
  user: "duet:admin",
  server: "https://[2001:db8::10]:6443",
  authority: "-----BEGIN CERTIFICATE-----\nca\n",
  certificate: "-----BEGIN CERTIFICATE-----\nmine\n",
  key: new Secret("-----BEGIN PRIVATE KEY-----\nkey\n"),
};

test("a kubeconfig has one cluster, one user and the context that joins them, and reads back", () => {
  const text = kubeconfigText(config);
  assert.deepEqual(parse(text), {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "shop-0042",
        cluster: {
          server: "https://[2001:db8::10]:6443",
          "certificate-authority-data": Buffer.from(config.authority).toString("base64"),
        },
      },
    ],
    users: [
      {
        name: "duet:admin",
        user: {
          "client-certificate-data": Buffer.from(config.certificate).toString("base64"),
          "client-key-data": Buffer.from(config.key.reveal()).toString("base64"),
        },
      },
    ],
    contexts: [{ name: "duet:admin@shop-0042", context: { cluster: "shop-0042", user: "duet:admin" } }],
    "current-context": "duet:admin@shop-0042",
  });
  const read = readKubeconfig(text);
  assert.ok(read !== undefined);
  assert.deepEqual({ ...read, key: read.key.reveal() }, { ...config, key: config.key.reveal() });
  assert.ok(!inspect(read).includes("PRIVATE"));
});

test("what is none is none", () => {
  for (const text of [
    "",
    "a: [",
    "clusters: []",
    "{}",
    kubeconfigText(config).replace("client-key-data", "token"),
  ])
    assert.equal(readKubeconfig(text), undefined, text);
});
