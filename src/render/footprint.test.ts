import assert from "node:assert/strict";
import { test } from "node:test";
import { Secret } from "../base/secret.ts";
import { readSite } from "../site/read.ts";
import { controlPlane } from "../site/samples.ts";
import type { Site } from "../site/site.ts";
import { footprint } from "./footprint.ts";
import { machineIgnition } from "./machine.ts";
import { machineSite } from "./machine-site.ts";

function siteOf(outlets: number): Site {
  const outlet = (name: string) => ({
    address: "203.0.113.20",
    outlet: `/redfish/v1/o/${name}`,
    credentials: { file: "pdu" },
  });
  const machine = (n: number) => ({
    name: `node${n}`,
    addresses: [`192.0.2.1${n}`, `198.51.100.1${n}`],
    bmc: { address: `203.0.113.1${n}`, credentials: { file: "bmc" }, trust: { ca: `ca${n}.crt` } },
    ...(outlets === 0 ? {} : { pdu: Array.from({ length: outlets }, (_, i) => outlet(`${n}-${i}`)) }),
  });
  const text = {
    name: "shop",
    topology: "dual-replica",
    ssh_key: "a.pub",
    machines: [machine(1), machine(2)],
    alerts: [
      { webhook: { url: "https://alerts.example/duet", headers: "hook.headers", trust: { ca: "hook.pem" } } },
    ],
  };
  const { site, problems } = readSite(JSON.stringify(text), "test");
  assert.ok(site !== undefined, JSON.stringify(problems));
  return site;
}

for (const outlets of [0, 1, 3])
  test(`everything that is rendered is taken off, or stays for a reason, with ${outlets} outlets too`, () => {
    const site = siteOf(outlets);
    const [machine] = site.machines;
    assert.ok(machine);
    const secret = { username: "u", password: new Secret("p") };
    const { storage, systemd } = machineIgnition(site, machine, {
      credentials: new Map(site.machines.map(({ name }) => [name, secret])),
      pduCredentials: new Map(site.machines.map(({ name, pdus }) => [name, pdus.map(() => secret)])),
      sshKeys: ["k"],
      authorities: new Map(),
      alerts: { secrets: new Map([["hook.headers", new Secret("A: b")]]), authorities: new Map() },
      corosyncKey: new Uint8Array(256),
      etcdAuthority: { certificate: "", key: new Secret("") },
    });
    // As the machine itself has it: with its own files in place of the operator's.
    const { site: own } = readSite(machineSite(site), "site.yaml");
    const [here] = own?.machines ?? [];
    assert.ok(own !== undefined && here !== undefined);
    const { files, folders, stays, units } = footprint(own, here);
    const gone = (path: string) =>
      files.includes(path) || folders.some((folder) => path.startsWith(`${folder}/`));
    const rendered = storage.files.filter(({ path }) => path.endsWith("-credentials"));
    assert.equal(rendered.length, 2 * outlets);
    const left = storage.files.map(({ path }) => path).filter((path) => !gone(path));
    assert.deepEqual(
      left,
      stays.map(({ path }) => path),
    );
    assert.ok(left.includes("/root/.ssh/authorized_keys"));
    for (const { name, contents, mask, dropins = [] } of systemd.units) {
      if (contents !== undefined) assert.ok(units.includes(name), name);
      if (contents !== undefined || mask === true) assert.ok(gone(`/etc/systemd/system/${name}`), name);
      for (const each of dropins) assert.ok(gone(`/etc/systemd/system/${name}.d/${each.name}`), each.name);
    }
    assert.ok(files.includes("/etc/corosync/authkey") && files.includes("/usr/sbin/fence_duet"));
    assert.ok(files.includes("/usr/local/bin/duet-alert") && units.includes("duet-alerts.path"));
    assert.ok(units.includes("duet-fence-test.timer"));
    assert.ok(!units.includes("corosync.service"), "corosync's own unit is not duet's");
  });

test("with a control plane its files go too, also those that setup makes, and a unit of the machine's own does not", () => {
  const { site, problems } = readSite(controlPlane, "test");
  const [machine] = site?.machines ?? [];
  assert.ok(site !== undefined && machine !== undefined, JSON.stringify(problems));
  const { files, folders, units, ownUnits, hollow, traces } = footprint(site, machine);
  const gone = (path: string) =>
    files.includes(path) || folders.some((folder) => path.startsWith(`${folder}/`));
  for (const path of [
    "/etc/kubernetes/manifests/kube-apiserver.yaml",
    "/etc/kubernetes/pki/ca.key",
    "/etc/kubernetes/pki/apiserver.key",
    "/etc/kubernetes/duet.conf",
    "/etc/kubernetes/kubelet.yaml",
    "/etc/kubernetes/kubelet.d/10-resolv.conf",
    "/etc/cni/net.d/10-duet.conflist",
    "/etc/crio/crio.conf.d/10-duet.conf",
    "/etc/sysctl.d/10-duet.conf",
    "/usr/lib/ocf/resource.d/duet/pods",
    "/etc/systemd/system/crio-.scope.d/10-duet.conf",
    "/etc/duet/kubernetes/kubelet.service",
    "/etc/systemd/system/kubelet.service.d/20-duet.conf",
    "/etc/systemd/system/crio.service.d/20-duet.conf",
  ])
    assert.ok(gone(path), path);
  for (const unit of ["crio.service", "kubelet.service"])
    assert.ok(!gone(`/etc/systemd/system/${unit}`) && !units.includes(unit), unit);
  assert.ok(!gone("/etc/kubernetes/manifests/of-somebody-else.yaml"));
  assert.deepEqual(ownUnits, ["crio.service", "kubelet.service"]);
  assert.deepEqual(hollow, ["/etc/kubernetes/manifests", "/etc/kubernetes"]);
  assert.ok(units.includes("duet-pod-routes.service") && units.includes("duet-pods.service"));
  assert.ok(traces.some((words) => words.join(" ") === "ip -4 route del 198.18.1.0/24 metric 100"));
});
