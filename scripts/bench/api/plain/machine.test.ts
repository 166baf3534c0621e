import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { planAddresses } from "../../../../lab/addresses.ts";
import { defaultSite } from "../../../../lab/site.ts";
import type { Ignition } from "../../../../src/render/ignition.ts";
import { readKubeconfig } from "../../../../src/render/kubernetes/kubeconfig.ts";
import { hasKubernetes, type KubernetesSite } from "../../../../src/render/kubernetes/names.ts";
import { PlainKeys } from "./keys.ts";
import { plainIgnition, plainSite } from "./machine.ts";
import { podNetworkFile } from "./pods.ts";

function site(count: number, ipv6 = false): KubernetesSite {
  const own = defaultSite("bench", { kubernetes: true, ipv6 });
  assert.ok(hasKubernetes(own));
  return plainSite(own, count);
}

test("so many machines as are asked for, each with addresses of its own that a lab can have", () => {
  for (const ipv6 of [false, true])
    for (const count of [1, 2, 3]) {
      const { machines } = site(count, ipv6);
      assert.equal(machines.length, count);
      assert.equal(new Set(machines.flatMap(({ addresses }) => addresses)).size, 2 * count);
      assert.deepEqual(planAddresses(site(count, ipv6)).problems, []);
    }
});

const textOf = ({ storage }: Ignition, path: string): string => {
  const source = storage.files.find((file) => file.path === path)?.contents.source ?? "";
  return Buffer.from(source.replace("data:;base64,", ""), "base64").toString();
};

test("a plain machine has the members, the certificates and the pods of its cluster, and nothing that fences", async () => {
  const three = site(3);
  const folder = await mkdtemp(join(tmpdir(), "duet-plain-"));
  try {
    const keys = await PlainKeys.make(three, folder);
    const [first] = three.machines;
    assert.ok(first !== undefined);
    const made = plainIgnition(three, first, await keys.files(first));
    const paths = made.storage.files.map(({ path }) => path);
    assert.equal(new Set(paths).size, paths.length, "a file stands there twice");
    const members = textOf(made, "/etc/duet/etcd-first.env");
    for (const { name, addresses } of three.machines)
      for (const address of addresses) assert.ok(members.includes(`${name}=https://${address}:2380`));
    assert.match(textOf(made, "/etc/kubernetes/manifests/kube-apiserver.yaml"), /kube-apiserver/);
    assert.ok(readKubeconfig(textOf(made, "/etc/kubernetes/kubelet.conf")) !== undefined);
    assert.deepEqual(
      made.systemd.units.map(({ name, enabled }) => [name, enabled]),
      [
        ["plain-pods.service", true],
        ["etcd.service", true],
        ["crio.service", true],
        ["kubelet.service", true],
      ],
    );
    assert.ok(!paths.some((path) => /corosync|cib|bmc/.test(path)));
    for (const text of [await keys.admin(first), keys.master(first)])
      assert.equal(readKubeconfig(text)?.server, `https://${first.addresses[0] ?? ""}:6443`);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("each plain machine leads to the others' pods, and to nobody's where it is alone", () => {
  const script = (count: number, ipv6 = false) => {
    const all = site(count, ipv6);
    const [first] = all.machines;
    assert.ok(first !== undefined);
    return podNetworkFile(all, first).content.toString();
  };
  const routes = (text: string) => text.split("\n").filter((line) => line.startsWith("ip "));
  assert.deepEqual(routes(script(3)), [
    "ip -4 route replace 198.18.1.0/24 via 192.0.2.12",
    "ip -4 route replace 198.18.2.0/24 via 192.0.2.13",
  ]);
  assert.deepEqual(routes(script(1)), []);
  assert.match(script(1), /ip saddr 198\.18\.0\.0\/16 ip daddr != 198\.18\.0\.0\/16 masquerade/);
  assert.match(script(2, true), /^ip -6 route replace \S+ via 2001:db8:1::12$/m);
  assert.match(script(2, true), /net\.ipv6\.conf\.all\.forwarding=1/);
});
