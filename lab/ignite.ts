import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Lab, LabMachine } from "./folder.ts";
import { withRoot } from "./metal/disk.ts";
import { writeMachineNetwork } from "./network.ts";

const script = join(import.meta.dirname, "ignite.sh");

/**
 * What happens between the installation of the OS and the first boot: the real Ignition applies the machine's file, as
 * it does from the initramfs of CoreOS. It runs in the machine's root, so it is the image's own Ignition.
 */
export async function ignite(lab: Lab, m: LabMachine, ignitionFile: string): Promise<void> {
  const staged = join(m.folder, "staged");
  await mkdir(staged, { recursive: true });
  await writeMachineNetwork(lab, m, staged);
  await cp(ignitionFile, join(staged, "config.ign"));
  await withRoot(lab, m, ["sh", script, join(m.folder, "root"), staged]);
  // It holds secrets, and the machine has them now.
  await rm(staged, { recursive: true });
}
