import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { kubernetesPrograms } from "./programs.ts";
import { coredns_version, crio_version, etcd_version, kubernetes_version } from "./versions.ts";

const goMod = async (name: "hyperkube" | "crio" | "coredns" | "etcd"): Promise<string> =>
  await readFile(join(kubernetesPrograms[name].module_folder, "go.mod"), "utf8");

test("the Go modules pin the versions that the lab says it has", async () => {
  for (const [name, module, version] of [
    ["hyperkube", "k8s.io/kubernetes", kubernetes_version],
    ["crio", "github.com/cri-o/cri-o", crio_version],
    ["coredns", "github.com/coredns/coredns", coredns_version],
    ["etcd", "go.etcd.io/etcd/server/v3", etcd_version],
    ["etcd", "go.etcd.io/etcd/etcdctl/v3", etcd_version],
    ["etcd", "go.etcd.io/etcd/etcdutl/v3", etcd_version],
  ] as const)
    assert.match(
      await goMod(name),
      new RegExp(`^(require|tool)?\\s*${module} v${version.replaceAll(".", "\\.")}( |$)`, "m"),
    );
});

test("every part of Kubernetes is of one version", async () => {
  const text = await goMod("hyperkube");
  const staging = `v${kubernetes_version.replace(/^1/, "0")}`;
  const replaced = [...text.matchAll(/^\t(k8s\.io\/\S+) => (\S+) (\S+)$/gm)];
  assert.ok(replaced.length > 20, `only ${replaced.length} replaced`);
  for (const [, from, to, version] of replaced) assert.deepEqual([to, version], [from, staging]);
});

test("the API tells the version that it is", () => {
  const { stamps } = kubernetesPrograms.hyperkube;
  assert.equal(stamps?.["k8s.io/component-base/version.gitVersion"], `v${kubernetes_version}`);
  assert.equal(stamps["k8s.io/component-base/version.gitMinor"], kubernetes_version.split(".")[1]);
});
