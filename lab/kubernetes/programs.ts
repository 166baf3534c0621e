import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { run } from "../../src/machine/process.ts";
import { etcd36 } from "../etcd36.ts";
import { type GoPrograms } from "../go.ts";
import { coredns_version, crio_version, kubernetes_version } from "./versions.ts";

/** Kubernetes is in no Debian that the machines could run: its programs are built from their Go modules, once. */

const module_of = (name: string): string => join(import.meta.dirname, name);

/** One program under six names. */
export const kubernetesNames = [
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kube-proxy",
  "kubelet",
  "kubectl",
] as const;

const hyperkube: GoPrograms = {
  name: "hyperkube",
  module_folder: module_of("hyperkube"),
  programs: { hyperkube: "." },
  // The API tells this version, and a kubelet compares it with its own.
  stamps: Object.fromEntries(
    ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"].flatMap((variables) => [
      [`${variables}.gitVersion`, `v${kubernetes_version}`],
      [`${variables}.gitMajor`, kubernetes_version.split(".")[0] ?? ""],
      [`${variables}.gitMinor`, kubernetes_version.split(".")[1] ?? ""],
      [`${variables}.gitTreeState`, "archive"],
    ]),
  ),
  title: `Kubernetes ${kubernetes_version} from its Go modules (once, about 7 min)`,
};

const crio: GoPrograms = {
  name: "crio",
  module_folder: module_of("crio"),
  programs: { crio: "github.com/cri-o/cri-o/cmd/crio" },
  // Everything that would need a C library: signatures by GPG, ostree, device mapper, btrfs.
  tags: [
    "containers_image_openpgp",
    "containers_image_ostree_stub",
    "exclude_graphdriver_btrfs",
    "exclude_graphdriver_devicemapper",
    "libdm_no_deferred_remove",
  ],
  also: buildPinns,
  title: `CRI-O ${crio_version} from its Go modules (once, about 2 min)`,
};

const coredns: GoPrograms = {
  name: "coredns",
  module_folder: module_of("coredns"),
  programs: { coredns: "." },
  title: `CoreDNS ${coredns_version} from its Go modules (once, about a minute)`,
};

const pause: GoPrograms = {
  name: "pause",
  module_folder: module_of("pause"),
  programs: { pause: "." },
  title: "pause, the first process of a pod",
};

/** A crun that asks for no more than a lab's machine may give: see there. */
const crun: GoPrograms = {
  name: "crun",
  module_folder: module_of("crun"),
  programs: { crun: "." },
  title: "crun as a lab needs it",
};

/** All that is built for a lab with Kubernetes. */
export const kubernetesPrograms = { hyperkube, crio, coredns, pause, crun, etcd: etcd36 } as const;
/** Where each is in the cache. */
export type ProgramFolders = Readonly<Record<keyof typeof kubernetesPrograms, string>>;

/** CRI-O's helper that pins a pod's namespaces is C. Static, since the machines' C library is not the host's. */
async function buildPinns(folder: string, go: string): Promise<void> {
  const module = ["list", "-m", "-json", "github.com/cri-o/cri-o"];
  const { stdout } = await run([go, ...module], { cwd: crio.module_folder, deadline_ms: 120_000 });
  const sources = join(v.parse(v.object({ Dir: v.string() }), JSON.parse(stdout)).Dir, "pinns", "src");
  const files = (await readdir(sources)).filter((file) => file.endsWith(".c")).toSorted();
  const flags = ["-std=c99", "-O2", "-static", "-s", `-DVERSION="${crio_version}"`];
  const inputs = files.map((file) => join(sources, file));
  await run(["gcc", ...flags, "-o", join(folder, "pinns"), ...inputs], { deadline_ms: 120_000 });
}
