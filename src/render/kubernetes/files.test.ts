import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import * as v from "valibot";
import { parse } from "yaml";
import { Secret } from "../../base/secret.ts";
import { readSite } from "../../site/read.ts";
import { controlPlane, minimal } from "../../site/samples.ts";
import type { Machine } from "../../site/site.ts";
import type { MachineFile } from "../ignition.ts";
import { kubernetesFiles, kubernetesFootprint, kubernetesUnits } from "./files.ts";
import { type KubernetesSite, leafNames, pkiFile, publicApi } from "./names.ts";
import { controlPlaneSite } from "./testing.ts";

const pair = (name: string) => ({ certificate: `${name} CERT`, key: new Secret(`${name} KEY`) });
const materials = {
  authority: pair("ca"),
  frontProxyAuthority: pair("front"),
  serviceAccount: { key: new Secret("sa KEY"), publicKey: "sa PUB" },
};
const { site, node1, node2 } = controlPlaneSite();
const six = controlPlaneSite(
  `${minimal.replaceAll("192.0.2.", "2001:db8:1::")}api: { address: "2001:db8:1::10" }\nkubernetes: {}\n`,
);

const filesOf = (of: KubernetesSite, machine: Machine): readonly MachineFile[] =>
  kubernetesFiles(of, machine, materials, "etcd CERT");
const textOf = (files: readonly MachineFile[], path: string): string => {
  const found = files.find((each) => each.path === path);
  assert.ok(found !== undefined, path);
  return found.content.toString();
};

const podShape = v.object({
  apiVersion: v.literal("v1"),
  kind: v.literal("Pod"),
  metadata: v.object({ name: v.string(), namespace: v.literal("kube-system") }),
  spec: v.object({
    hostNetwork: v.literal(true),
    priorityClassName: v.optional(v.never()),
    containers: v.tuple([
      v.object({
        image: v.string(),
        command: v.array(v.string()),
        livenessProbe: v.optional(v.object({ httpGet: v.object({ path: v.string(), host: v.string() }) })),
        volumeMounts: v.array(v.object({ name: v.string(), mountPath: v.string(), readOnly: v.boolean() })),
      }),
    ]),
    volumes: v.array(
      v.object({ name: v.string(), hostPath: v.object({ path: v.string(), type: v.string() }) }),
    ),
  }),
});

const podsIn = (files: readonly MachineFile[]) =>
  files
    .filter(({ path }) => path.startsWith("/etc/kubernetes/manifests/"))
    .map(({ content }) => v.parse(podShape, parse(content.toString())));

/** All that is on the machine when the kubelet starts: rendered, or made by setup. */
function there(of: KubernetesSite, machine: Machine): ReadonlySet<string> {
  return new Set([
    ...filesOf(of, machine).map(({ path }) => path),
    ...kubernetesFootprint(of, machine).files,
    ...leafNames.flatMap((name) => [pkiFile(name, "crt"), pkiFile(name, "key")]),
  ]);
}

test("a site without a control plane gets no file, no unit and no trace of one", () => {
  const { site: plain } = readSite(minimal, "site.yaml");
  const machine = plain?.machines[0];
  assert.ok(plain !== undefined && machine !== undefined);
  assert.deepEqual(kubernetesFiles(plain, machine, undefined, ""), []);
  assert.deepEqual(kubernetesUnits(plain, machine), []);
  for (const each of Object.values(kubernetesFootprint(plain, machine))) assert.deepEqual(each, []);
});

for (const [name, of] of [
  ["IPv4", { site, machine: node1 }],
  ["IPv6", { site: six.site, machine: six.node2 }],
] as const)
  test(`four static pods, and each file that they name is there and in their sight (${name})`, () => {
    const files = filesOf(of.site, of.machine);
    const pods = podsIn(files);
    assert.deepEqual(
      pods.map(({ metadata }) => metadata.name),
      ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"],
    );
    const known = there(of.site, of.machine);
    for (const { metadata, spec } of pods) {
      const [container] = spec.containers;
      assert.equal(container.command[0], metadata.name);
      const mounted = container.volumeMounts.map(({ mountPath }) => mountPath);
      assert.deepEqual(
        spec.volumes.map(({ name: each, hostPath }) => [each, hostPath.path]),
        container.volumeMounts.map(({ name: each, mountPath }) => [each, mountPath]),
      );
      for (const path of container.command.flatMap((word) => /=(\/etc\/.*)$/.exec(word)?.[1] ?? [])) {
        assert.ok(known.has(path), `${metadata.name} wants ${path}`);
        assert.ok(
          mounted.some((each) => path === each || path.startsWith(`${each}/`)),
          `${metadata.name} does not see ${path}`,
        );
      }
    }
    const kubelet = textOf(files, "/etc/kubernetes/kubelet.yaml");
    for (const [path] of kubelet.matchAll(/\/etc\/kubernetes\/\S+\.\S+/g)) assert.ok(known.has(path), path);
    const proxy = textOf(files, "/etc/kubernetes/proxy.yaml");
    for (const [path] of proxy.matchAll(/\/etc\/kubernetes\/\S+/g)) assert.ok(known.has(path), path);
  });

test("who needs no key sees none, and who signs those that it signs with; nobody sees etcd's authority, and only the proxy is privileged", () => {
  const sights = Object.fromEntries(
    podsIn(filesOf(site, node1)).map(({ metadata, spec }) => [
      metadata.name,
      spec.volumes.map(({ hostPath }) => hostPath.path),
    ]),
  );
  assert.deepEqual(sights, {
    "kube-apiserver": ["/etc/kubernetes/pki", "/etc/kubernetes/apiserver"],
    "kube-controller-manager": [
      "/etc/kubernetes/controller-manager.conf",
      "/etc/kubernetes/pki/ca.crt",
      "/etc/kubernetes/pki/front-proxy-ca.crt",
      "/etc/kubernetes/pki/ca.key",
      "/etc/kubernetes/pki/sa.key",
    ],
    "kube-scheduler": ["/etc/kubernetes/scheduler.conf"],
    "kube-proxy": ["/etc/kubernetes/proxy.yaml", "/etc/kubernetes/proxy.conf", "/run/xtables.lock"],
  });
  const privileged = filesOf(site, node1).filter(({ content }) =>
    content.toString().includes("privileged: true"),
  );
  assert.deepEqual(
    privileged.map(({ path }) => path),
    ["/etc/kubernetes/manifests/kube-proxy.yaml"],
  );
  for (const { path, mode, content } of filesOf(site, node1))
    if (/(?<!OCF_RES)KEY/.test(content.toString())) assert.equal(mode, 0o600, path);
});

test("the API server asks its own machine's etcd, and is alive without it", () => {
  const [v4, v6] = [filesOf(site, node1), filesOf(six.site, six.node1)].map((files) =>
    textOf(files, "/etc/kubernetes/manifests/kube-apiserver.yaml"),
  );
  assert.match(v4 ?? "", /--etcd-servers=https:\/\/127\.0\.0\.1:2379$/m);
  assert.match(v4 ?? "", /--advertise-address=192\.0\.2\.11$/m);
  assert.match(v6 ?? "", /--etcd-servers=https:\/\/\[::1\]:2379$/m);
  assert.match(v6 ?? "", /--advertise-address=2001:db8:1::11$/m);
  assert.match(v6 ?? "", /--service-cluster-ip-range=fd00:10:96::\/112$/m);
  assert.match(v4 ?? "", /livenessProbe:[^]*path: \/livez\?exclude=etcd/);
  assert.match(v4 ?? "", /readinessProbe:[^]*path: \/readyz$/m);
  assert.match(v4 ?? "", /--shutdown-send-retry-after=true$/m);
  const strangers = v.parse(
    v.object({
      anonymous: v.object({ enabled: v.literal(true), conditions: v.array(v.object({ path: v.string() })) }),
    }),
    parse(textOf(filesOf(site, node1), "/etc/kubernetes/apiserver/authentication.yaml")),
  );
  assert.deepEqual(
    strangers.anonymous.conditions.map(({ path }) => path),
    ["/livez", "/readyz", "/healthz"],
  );
});

test("controllers live through a failover, and end before Kubernetes takes a machine that is well for lost", () => {
  for (const name of ["kube-controller-manager", "kube-scheduler"]) {
    const pod = podsIn(filesOf(site, node1)).find(({ metadata }) => metadata.name === name);
    const command = pod?.spec.containers[0].command ?? [];
    const seconds = (flag: string): number =>
      Number(
        command
          .find((word) => word.startsWith(`--leader-elect-${flag}=`))
          ?.split("=")[1]
          ?.replace("s", ""),
      );
    assert.ok(command.includes("--leader-elect=true"));
    assert.ok(seconds("lease-duration") > seconds("renew-deadline"));
    // The last word of a kubelet may be 10 s old when the API goes away; after 50 s without one its machine counts as lost.
    assert.ok(seconds("renew-deadline") + 10 < 50);
  }
});

test("each machine has its own part of the pods' network, and a way to the other's", () => {
  const subnet = (machine: Machine) =>
    /"subnet": "([^"]+)"/.exec(textOf(filesOf(site, machine), "/etc/cni/net.d/10-duet.conflist"))?.[1];
  assert.deepEqual([subnet(node1), subnet(node2)], ["198.18.0.0/24", "198.18.1.0/24"]);
  const script = (of: KubernetesSite, machine: Machine) =>
    textOf(filesOf(of, machine), "/usr/local/libexec/duet-pod-routes");
  assert.match(
    script(site, node1),
    /route replace 198\.18\.1\.0\/24 via[^]*lead 192\.0\.2\.12 100\n {2}lead 198\.51\.100\.12 200\n/,
  );
  assert.match(script(site, node2), /route replace 198\.18\.0\.0\/24 via[^]*lead 192\.0\.2\.11 100\n/);
  assert.match(script(site, node1), /ip saddr 198\.18\.0\.0\/16 ip daddr != 198\.18\.0\.0\/16 masquerade/);
  assert.match(script(six.site, six.node1), /ip -6 route replace fd00:10:244:1::\/64/);
  assert.doesNotMatch(
    script(six.site, six.node1),
    /198\.51\.100\.12/,
    "the second link is of another family",
  );
  for (const each of [script(site, node1), script(six.site, six.node2)]) {
    const { status, stderr } = spawnSync("sh", ["-n"], { input: each });
    assert.deepEqual([status, stderr.toString()], [0, ""]);
  }
});

test("the order in the file does not change who has which part", () => {
  const swapped = controlPlaneSite(controlPlane.replaceAll("node1", "zz").replaceAll("node2", "aa"));
  const conf = textOf(filesOf(swapped.site, swapped.node1), "/etc/cni/net.d/10-duet.conflist");
  assert.match(conf, /198\.18\.1\.0\/24/);
});

test("people call the virtual IP, else the site's name for the API, else the first machine", () => {
  const called = (text: string) => publicApi(controlPlaneSite(text).site);
  assert.equal(called(controlPlane), "https://192.0.2.10:6443");
  assert.equal(called(controlPlane.replace(/^api:.*\n/m, "")), "https://api.shop.example:6443");
  assert.equal(called(`${minimal}kubernetes: {}\n`), "https://192.0.2.11:6443");
  assert.equal(publicApi(six.site), "https://[2001:db8:1::10]:6443");
});

test("the kubelet is this site's, by whatever unit it is started, and none is enabled", () => {
  const units = kubernetesUnits(site, node2);
  const kubelet = units.find(({ name }) => name === "kubelet.service");
  assert.match(
    kubelet?.dropins?.[0]?.contents ?? "",
    /\nExecStart=\nExecStart=kubelet .*--hostname-override=node2 --node-ip=192\.0\.2\.12\n/,
  );
  assert.ok(kubelet !== undefined && kubelet.contents === undefined && kubelet.enabled === undefined);
  for (const service of ["crio", "kubelet"])
    assert.doesNotMatch(
      textOf(filesOf(site, node2), `/etc/duet/kubernetes/${service}.service`),
      /\[Install\]/,
    );
});

test("CRI-O and the kubelet have one owner, by whatever unit they are started", () => {
  const units = kubernetesUnits(site, node1);
  for (const service of ["crio", "kubelet"]) {
    const unit = units.filter(({ name }) => name === `${service}.service`);
    assert.deepEqual(
      unit.map(({ contents, enabled, dropins }) => [contents, enabled, dropins?.map(({ name }) => name)]),
      [[undefined, undefined, ["20-duet.conf"]]],
    );
    const own = textOf(filesOf(site, node1), `/etc/duet/kubernetes/${service}.service`);
    for (const text of [unit[0]?.dropins?.[0]?.contents ?? "", own]) {
      assert.match(text, /^\[Service\]$/m);
      assert.deepEqual(text.match(/^Restart=.*$/gm), ["Restart=no"]);
    }
  }
});

test("CRI-O keeps every image of the site", () => {
  const conf = textOf(filesOf(site, node1), "/etc/crio/crio.conf.d/10-duet.conf");
  for (const image of Object.values(site.kubernetes.images))
    assert.ok(conf.includes(JSON.stringify(image)), image);
});

test("the kernel is told at each boot, with the reason beside it, and where it can't be told the boot goes on", () => {
  const lines = textOf(filesOf(site, node1), "/etc/sysctl.d/10-duet.conf").trimEnd().split("\n");
  const settings = lines.flatMap((line, index) => (line.startsWith("#") ? [] : [index]));
  assert.deepEqual(
    settings.map((index) => lines[index]),
    ["-fs.inotify.max_user_instances = 1024"],
  );
  for (const index of settings) assert.match(lines[index - 1] ?? "", /^# \w/);
});
