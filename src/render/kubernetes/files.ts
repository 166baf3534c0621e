import type { Secret } from "../../base/secret.ts";
import type { Machine, Site } from "../../site/site.ts";
import type { IgnitionUnit, MachineFile } from "../ignition.ts";
import { addressAgentFiles } from "../address-agent.ts";
import { addressOf } from "../api-address.ts";
import { kernelFile } from "./kernel.ts";
import { crioFile, crioUnits, kubeletFile, kubeletUnits, ownUnitFiles } from "./kubelet.ts";
import { hasKubernetes, kubeconfigFile, kubeconfigNames, kubernetesPaths, pkiFile } from "./names.ts";
import { cniFile, podRoutesFile, podRoutesUnit, podTraces } from "./network.ts";
import { authenticationFile, controlPlanePods, proxyFile } from "./pods.ts";
import { podsAgentFiles, podUnits } from "./pods-end.ts";

interface Pair {
  readonly certificate: string;
  readonly key: Secret;
}

/** What both machines have alike, made where the site is rendered: everything else they make themselves. */
export interface KubernetesMaterials {
  /** Signs users and servers of the API. */
  readonly authority: Pair;
  /** Signs who may say to an extension of the API that it speaks for another. */
  readonly frontProxyAuthority: Pair;
  /** Signs the tokens of service accounts, which both API servers must believe. */
  readonly serviceAccount: { readonly key: Secret; readonly publicKey: string };
}

/** Nothing where the site has no `kubernetes:`. */
export function kubernetesFiles(
  site: Site,
  machine: Machine,
  materials: KubernetesMaterials | undefined,
  etcdAuthority: string,
): readonly MachineFile[] {
  if (!hasKubernetes(site)) return [];
  if (materials === undefined) throw new Error("bug: a control plane is rendered without its keys");
  const { authority, frontProxyAuthority, serviceAccount } = materials;
  return [
    text(pkiFile("ca", "crt"), authority.certificate),
    secret(pkiFile("ca", "key"), authority.key),
    text(pkiFile("front-proxy-ca", "crt"), frontProxyAuthority.certificate),
    secret(pkiFile("front-proxy-ca", "key"), frontProxyAuthority.key),
    secret(pkiFile("sa", "key"), serviceAccount.key),
    text(pkiFile("sa", "pub"), serviceAccount.publicKey),
    // A copy: the folder that etcd's own is in has its authority's key too, which no pod may see.
    text(pkiFile("etcd-ca", "crt"), etcdAuthority),
    authenticationFile,
    ...controlPlanePods(site, machine),
    proxyFile(site, machine),
    kubeletFile(site),
    crioFile(site),
    kernelFile,
    cniFile(site, machine),
    podRoutesFile(site, machine),
    ...(addressOf(site) === undefined ? [] : addressAgentFiles),
    ...podsAgentFiles,
    ...ownUnitFiles,
  ];
}

export const kubernetesUnits = (site: Site, machine: Machine): readonly IgnitionUnit[] =>
  hasKubernetes(site) ? [...crioUnits, ...kubeletUnits(machine), podRoutesUnit, ...podUnits] : [];

/** What setup makes beside the rendered files, for who takes all of it off. */
export interface KubernetesFootprint {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Units that go only if setup has put them there. */
  readonly ownUnits: readonly string[];
  /** Folders that go if nothing is left in them. */
  readonly hollow: readonly string[];
  readonly traces: readonly (readonly [string, ...string[]])[];
}

export function kubernetesFootprint(site: Site, machine: Machine): KubernetesFootprint {
  if (!hasKubernetes(site)) return { files: [], folders: [], ownUnits: [], hollow: [], traces: [] };
  const { pki, apiserver, kubeletMore, manifests, folder } = kubernetesPaths;
  return {
    files: kubeconfigNames.map(kubeconfigFile),
    folders: [pki, apiserver, kubeletMore],
    ownUnits: ["crio.service", "kubelet.service"],
    hollow: [manifests, folder],
    traces: podTraces(site, machine),
  };
}

const text = (path: string, content: string): MachineFile => ({ path, mode: 0o644, content });
const secret = (path: string, content: Secret): MachineFile => ({
  path,
  mode: 0o600,
  content: content.reveal(),
});
