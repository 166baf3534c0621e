import { fail } from "../../base/problem.ts";
import { run } from "../../machine/process.ts";
import { minor_min } from "../../site/kubernetes.ts";

/** What a machine must have before it can be given a control plane. Everything else comes as an image. */
export const kubernetesPrograms = ["crio", "kubelet"] as const;
export type KubernetesProgram = (typeof kubernetesPrograms)[number];

const call_ms = 10_000;

/** Its version, such as 1.36.3; undefined where there is no such program in root's path. */
export async function versionOf(program: KubernetesProgram): Promise<string | undefined> {
  const { status, stdout } = await run([program, "--version"], { accept: "any", deadline_ms: call_ms });
  if (status !== 0) return undefined;
  return /(\d+\.\d+\.\d+)/.exec(stdout)?.[1] ?? "unknown";
}

/** Of 1.36.3 the 36; NaN of what can't be read, which is judged by nobody. */
export const minorOf = (version: string): number => Number(/^1\.(\d+)\./.exec(version)?.[1] ?? Number.NaN);

/** Before 1.35 a kubelet refuses a configuration that says how long a restart may wait at most. */
export const isOldKubelet = (version: string): boolean => minorOf(version) < minor_min;

/** Told before anything waits for them in vain. */
export async function requirePrograms(say: (detail: string) => void): Promise<void> {
  const found = await Promise.all(
    kubernetesPrograms.map(async (name) => ({ name, version: await versionOf(name) })),
  );
  const missing = found.filter(({ version }) => version === undefined).map(({ name }) => name);
  if (missing.length > 0)
    fail(
      "DUET-E-KUBERNETES-PROGRAMS",
      missing.join(", "),
      "the site has `kubernetes:`, and this program is not installed here",
      "install CRI-O and the kubelet (the packages cri-o and kubelet, or your image's own); setup goes on by itself then",
    );
  const kubelet = found.find(({ name }) => name === "kubelet")?.version ?? "";
  if (isOldKubelet(kubelet))
    fail(
      "DUET-E-KUBERNETES-PROGRAMS",
      "kubelet",
      oldKubelet(kubelet),
      `${newKubelet}; setup goes on by itself then`,
    );
  say(found.map(({ name, version }) => `${name} ${version}`).join(", "));
}

export const oldKubelet = (version: string): string =>
  `it is ${version}, and would refuse its configuration: duet's control planes need 1.${minor_min} or later`;
export const newKubelet = `install a kubelet of 1.${minor_min} or later, and CRI-O of its minor version`;
