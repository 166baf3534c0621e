import { release } from "node:os";
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { stringify } from "yaml";
import { makeFolder, readIfThere, replaceSynced } from "../../machine/files.ts";
import { run } from "../../machine/process.ts";
import { fragmentOf } from "../../machine/systemd.ts";
import { unitFolder } from "../../render/footprint.ts";
import { unitMark, unitSource } from "../../render/kubernetes/kubelet.ts";
import { kubernetesPaths, type KubernetesSite } from "../../render/kubernetes/names.ts";
import { type ProxyMode, proxyFile } from "../../render/kubernetes/pods.ts";
import { kernelPolicy } from "../../render/policy.ts";
import { services } from "../../render/services.ts";
import type { Machine } from "../../site/site.ts";

const call_ms = 10_000;
const resolvedFile = "/run/systemd/resolve/resolv.conf";
const resolvMore = join(kubernetesPaths.kubeletMore, "10-resolv.conf");

/** This machine; tests have a folder for its root, and a kernel of their own. */
export interface Here {
  readonly root: string;
  readonly kernel: string;
}
const thisMachine: Here = { root: "", kernel: release() };

/** What can only be known on the machine itself: which units it lacks, what its kernel has, and who knows names here. */
export async function placeHere(
  site: KubernetesSite,
  machine: Machine,
  say: (detail: string) => void,
  { root, kernel }: Here = thisMachine,
): Promise<void> {
  const placed: string[] = [];
  for (const service of services) if (await placeUnit(service, root)) placed.push(`${service}.service`);
  if (placed.length > 0) await run(["systemctl", "daemon-reload"], { deadline_ms: 30_000 });
  const mode = await proxyMode(kernel);
  await replaceIfOther(`${root}${kubernetesPaths.proxy}`, proxyFile(site, machine, mode).content.toString());
  await nameServers(root);
  await tellKernel(root);
  say([...placed, `kube-proxy by ${mode}`].join(", "));
}

/** A machine's own unit is never replaced; the one that is put here is told by its first line. */
async function placeUnit(service: (typeof services)[number], root: string): Promise<boolean> {
  const path = `${root}${unitFolder}/${service}.service`;
  const found = await fragmentOf(`${service}.service`, call_ms);
  if (found !== undefined && found !== path) return false;
  const text = await readIfThere(path);
  if (text !== undefined && !text.startsWith(unitMark)) return false;
  return await replaceIfOther(path, await readFile(`${root}${unitSource(service)}`, "utf8"));
}

async function replaceIfOther(path: string, text: string): Promise<boolean> {
  if ((await readIfThere(path)) === text) return false;
  await replaceSynced(path, text);
  return true;
}

/** kube-proxy wants a kernel of 5.13 or later for nftables; and one that has it at all, which nft finds out. */
async function proxyMode(kernel: string): Promise<ProxyMode> {
  if (!hasNftables(kernel)) return "iptables";
  const { status } = await run(["nft", "list", "tables"], { accept: "any", deadline_ms: call_ms });
  return status === 0 || status === not_found ? "nftables" : "iptables";
}

const not_found = 127;

function hasNftables(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split(".").map((each) => Number.parseInt(each, 10));
  return major > 5 || (major === 5 && minor >= 13);
}

/** What the rendered file says for the next boot, now; never less than there is, and where it can't be written, without. */
async function tellKernel(root: string): Promise<void> {
  for (const [name, { value }] of Object.entries(kernelPolicy)) {
    const path = `${root}/proc/sys/${name.replaceAll(".", "/")}`;
    if (Number(await readIfThere(path)) < value) await writeFile(path, `${value}\n`).catch(() => undefined);
  }
}

/**
 * Where systemd-resolved answers on a loopback address, pods are given the servers that it asks: on their own loopback address there is
 * nobody, and CoreDNS would ask itself.
 */
async function nameServers(root: string): Promise<void> {
  const own = (await readIfThere(`${root}/etc/resolv.conf`)) ?? "";
  const isStub =
    /^nameserver\s+127\.0\.0\.5[34]\s*$/m.test(own) &&
    (await readIfThere(`${root}${resolvedFile}`)) !== undefined;
  const more = `${root}${resolvMore}`;
  if (!isStub) return await rm(more, { force: true });
  await makeFolder(dirname(more));
  await replaceIfOther(
    more,
    stringify({
      apiVersion: "kubelet.config.k8s.io/v1beta1",
      kind: "KubeletConfiguration",
      resolvConf: resolvedFile,
    }),
  );
}

/** Is there anybody to ask for names outside the cluster? */
export async function hasNameServers(root = ""): Promise<boolean> {
  const texts = await Promise.all(
    ["/etc/resolv.conf", resolvedFile].map((path) => readIfThere(`${root}${path}`)),
  );
  return texts.some((text) => namesServer(text ?? ""));
}

const namesServer = (text: string): boolean => /^nameserver\s+(?!127\.|::1\s*$)\S/m.test(text);
