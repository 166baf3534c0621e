import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { exists } from "../../machine/files.ts";
import { ownUnits } from "../../render/kubernetes/kubelet.ts";
import { hasKubernetes } from "../../render/kubernetes/names.ts";
import { readSite } from "../../site/read.ts";
import { minimal } from "../../site/samples.ts";
import { hasNameServers, placeHere } from "./place.ts";
import { ownPrograms } from "./testing-programs.ts";

function siteHere() {
  const { site } = readSite(`${minimal}kubernetes: {}\n`, "site.yaml");
  assert.ok(site !== undefined && hasKubernetes(site));
  const [machine] = site.machines;
  assert.ok(machine !== undefined);
  return { site, machine };
}
const { site, machine } = siteHere();

const unit = (name: string) => `/etc/systemd/system/${name}.service`;
const resolv = "/etc/kubernetes/kubelet.d/10-resolv.conf";
const instances = "/proc/sys/fs/inotify/max_user_instances";

/** A machine in a folder, as it is rendered: nobody's units but those that setup may put there. systemd is a shell script. */
async function host() {
  const root = await mkdtemp(join(tmpdir(), "duet-place-"));
  const programs = await ownPrograms();
  const reloads = join(root, "reloads");
  const put = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  /** systemd finds the unit where it looks, /etc first; here by the files that are there. */
  await programs.program(
    "systemctl",
    `[ "$1" = daemon-reload ] && { echo reload >>${reloads}; exit; }
for folder in ${root}/etc/systemd/system ${root}/usr/lib/systemd/system; do
  [ -e "$folder/$2" ] && { echo "FragmentPath=$folder/$2"; exit; }
done
echo FragmentPath=`,
  );
  await programs.program("nft", "exit 0");
  for (const [name, text] of Object.entries(ownUnits))
    await put(`/etc/duet/kubernetes/${name}.service`, text);
  await put("/etc/systemd/system/other.service", "");
  await put("/etc/kubernetes/proxy.yaml", "");
  await put(instances, "128\n");
  return {
    root,
    put,
    program: programs.program,
    read: (path: string) => readFile(join(root, path), "utf8"),
    has: (path: string) => exists(join(root, path)),
    reloads: async () =>
      (await exists(reloads)) ? (await readFile(reloads, "utf8")).split("\n").length - 1 : 0,
    /** What setup says of it. */
    place: async (kernel = "6.12.0-1-amd64") => {
      const said: string[] = [];
      await placeHere(site, machine, (detail) => said.push(detail), { root, kernel });
      return said.join("; ");
    },
    [Symbol.asyncDispose]: async () => {
      await programs[Symbol.asyncDispose]();
      await rm(root, { recursive: true });
    },
  };
}

test("a machine without units of its own gets them once, and systemd is told", async () => {
  await using here = await host();
  assert.equal(await here.place(), "crio.service, kubelet.service, kube-proxy by nftables");
  assert.equal(await here.read(unit("crio")), ownUnits.crio);
  assert.equal(await here.read(unit("kubelet")), ownUnits.kubelet);
  assert.equal(await here.place(), "kube-proxy by nftables");
  assert.equal(await here.reloads(), 1);
});

test("a unit of the machine's own is never replaced nor hidden, wherever it is", async () => {
  await using here = await host();
  await here.put("/usr/lib/systemd/system/kubelet.service", "[Service]\nExecStart=/usr/bin/kubelet\n");
  await here.put(unit("crio"), "[Service]\nExecStart=/opt/crio\n");
  assert.equal(await here.place(), "kube-proxy by nftables");
  assert.equal(await here.read(unit("crio")), "[Service]\nExecStart=/opt/crio\n");
  assert.equal(await here.has(unit("kubelet")), false);
  assert.equal(await here.reloads(), 0);
});

test("a unit that is not read yet is somebody's all the same, and duet's own of an earlier version is brought up to date", async () => {
  await using here = await host();
  await here.program("systemctl", `[ "$1" = daemon-reload ] || echo FragmentPath=`);
  await here.put(unit("crio"), "[Service]\nExecStart=/opt/crio\n");
  await here.put(unit("kubelet"), `${ownUnits.kubelet.split("\n")[0]}\n[Service]\nExecStart=kubelet --old\n`);
  assert.equal(await here.place(), "kubelet.service, kube-proxy by nftables");
  assert.equal(await here.read(unit("crio")), "[Service]\nExecStart=/opt/crio\n");
  assert.equal(await here.read(unit("kubelet")), ownUnits.kubelet);
});

test("kube-proxy takes nftables from 5.13 on, where the kernel has it", async () => {
  await using here = await host();
  const mode = async (kernel: string) => {
    const said = (await here.place(kernel)).replace(/^.*kube-proxy by /, "");
    assert.match(await here.read("/etc/kubernetes/proxy.yaml"), new RegExp(`^mode: ${said}$`, "m"));
    return said;
  };
  for (const kernel of ["5.13.0", "5.14.0-503.el9.x86_64", "6.1.0", "10.0"])
    assert.equal(await mode(kernel), "nftables", kernel);
  for (const kernel of ["5.12.19", "4.18.0-553.el8", "3.10.0"])
    assert.equal(await mode(kernel), "iptables", kernel);
  // Built without it.
  await here.program("nft", "echo 'netlink: Error: cache initialization failed' >&2; exit 1");
  assert.equal(await mode("6.1.0"), "iptables");
  // The host has no such program; kube-proxy's image has its own.
  await here.program("nft", "exit 127");
  assert.equal(await mode("6.1.0"), "nftables");
});

test("with systemd-resolved pods ask the servers that it asks, and without it the machine's own", async () => {
  await using here = await host();
  const upstream = "/run/systemd/resolve/resolv.conf";
  const stub = "# by systemd-resolved\nnameserver 127.0.0.53\noptions edns0\n";
  await here.put("/etc/resolv.conf", "nameserver 192.0.2.53\n");
  await here.put(upstream, "nameserver 192.0.2.54\n");
  await here.place();
  assert.equal(await here.has(resolv), false);
  await here.put("/etc/resolv.conf", stub);
  await here.place();
  assert.deepEqual(parse(await here.read(resolv)), {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    resolvConf: upstream,
  });
  // Another server of the machine's own on the loopback address.
  await here.put("/etc/resolv.conf", "nameserver 127.0.0.1\n");
  await here.place();
  assert.equal(await here.has(resolv), false);
  await here.put("/etc/resolv.conf", stub);
  await rm(join(here.root, upstream));
  await here.place();
  assert.equal(
    await here.has(resolv),
    false,
    "a file that is not there would keep the kubelet from making pods",
  );
});

test("there is somebody to ask for names where a server is no loopback address", async () => {
  await using here = await host();
  const asks = async (text: string) => {
    await here.put("/etc/resolv.conf", text);
    return await hasNameServers(here.root);
  };
  assert.equal(await hasNameServers(here.root), false);
  assert.equal(await asks("nameserver 192.0.2.53\n"), true);
  assert.equal(await asks("nameserver 2001:db8::53\n"), true);
  for (const alone of [
    "",
    "search example\n",
    "# nameserver 192.0.2.53\n",
    "nameserver 127.0.0.53\n",
    "nameserver ::1\n",
  ])
    assert.equal(await asks(alone), false, alone);
  await here.put("/run/systemd/resolve/resolv.conf", "nameserver 192.0.2.54\n");
  assert.equal(await asks("nameserver 127.0.0.53\n"), true);
});

test("the kernel is given what is lacking, and nothing is taken from it", async () => {
  await using here = await host();
  await here.place();
  assert.equal(await here.read(instances), "1024\n");
  await here.put(instances, "8192\n");
  await here.place();
  assert.equal(await here.read(instances), "8192\n");
});
