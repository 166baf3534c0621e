import { cp, mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { place } from "./oci.ts";
import type { ProgramFolders } from "./programs.ts";

/** What the layer has beside programs: settings that only a lab needs. */
export const tree = join(import.meta.dirname, "root");

/** The layer above the OS image, into a folder that is not there yet. */
export async function makeLayer(layer: string, programs: ProgramFolders): Promise<void> {
  await cp(tree, layer, { recursive: true });
  const lab = join(layer, "usr", "libexec", "duet-lab");
  const bin = join(layer, "usr", "bin");
  await place(join(programs.hyperkube, "hyperkube"), join(lab, "hyperkube"));
  await place(join(programs.crun, "crun"), join(lab, "crun"));
  for (const name of ["crio", "pinns"]) await place(join(programs.crio, name), join(bin, name));
  // In place of Debian's 3.5, by the same names: duet, its unit and people find them there. Labs without Kubernetes keep that.
  for (const name of ["etcd", "etcdctl", "etcdutl"]) await place(join(programs.etcd, name), join(bin, name));
  for (const name of ["kubelet", "kubectl"])
    await linkTo(layer, `/usr/bin/${name}`, "../libexec/duet-lab/hyperkube");
  // Debian's network plugins, where everybody else has them.
  await linkTo(layer, "/opt/cni/bin", "/usr/lib/cni");
  // Not by a preset, which a machine's first boot may change: it is part of what plays the metal.
  const writable = "duet-lab-writable.service";
  await linkTo(layer, `/usr/lib/systemd/system/sysinit.target.wants/${writable}`, `../${writable}`);
  // Where the store is mounted.
  await mkdir(join(layer, "usr", "share", "duet-lab", "images"), { recursive: true });
}

export async function linkTo(folder: string, path: string, target: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await symlink(target, join(folder, path));
}
