import type { MachineFile } from "../ignition.ts";
import { kernelPolicy } from "../policy.ts";
import { kubernetesPaths } from "./names.ts";

/**
 * Settings of the kernel's, which systemd makes at each boot. Its name sorts early: a file of the machine's own says the last word. The
 * leading `-`: where the kernel's settings can't be written, as in a container, the boot goes on without.
 */
export const kernelFile: MachineFile = {
  path: kubernetesPaths.kernel,
  mode: 0o644,
  content: [
    "# Written by duet; `duet render` makes it from the site file.",
    ...Object.entries(kernelPolicy).flatMap(([name, { value, why }]) => [`# ${why}`, `-${name} = ${value}`]),
    "",
  ].join("\n"),
};
