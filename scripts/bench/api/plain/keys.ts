import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { keptAuthority } from "../../../../src/agents/authority.ts";
import { ensureCertificates } from "../../../../src/agents/certificates.ts";
import { adminKubeconfig, signAdmin } from "../../../../src/agents/kubernetes/admin.ts";
import { masterApi } from "../../../../src/agents/kubernetes/api.ts";
import { keptKubernetes } from "../../../../src/agents/kubernetes/authority.ts";
import { ensureKubernetes } from "../../../../src/agents/kubernetes/certificates.ts";
import { Secret } from "../../../../src/base/secret.ts";
import { makeFolder } from "../../../../src/machine/files.ts";
import type { Identity } from "../../../../src/machine/x509.ts";
import { type Certificate, tlsFile } from "../../../../src/render/etcd.ts";
import type { MachineFile } from "../../../../src/render/ignition.ts";
import { kubernetesFiles, type KubernetesMaterials } from "../../../../src/render/kubernetes/files.ts";
import { kubeconfigText } from "../../../../src/render/kubernetes/kubeconfig.ts";
import {
  apiUrl,
  kubeconfigFile,
  kubeconfigNames,
  type KubernetesSite,
  leafNames,
  pkiFile,
} from "../../../../src/render/kubernetes/names.ts";
import type { Machine } from "../../../../src/site/site.ts";

/** What duet's machines make for themselves at setup, made here: plain ones have nobody who would. */
export class PlainKeys {
  readonly #site: KubernetesSite;
  readonly #folder: string;
  readonly #etcd: Identity;
  readonly #kubernetes: KubernetesMaterials;

  private constructor(site: KubernetesSite, folder: string, etcd: Identity, kubernetes: KubernetesMaterials) {
    this.#site = site;
    this.#folder = folder;
    this.#etcd = etcd;
    this.#kubernetes = kubernetes;
  }

  static async make(site: KubernetesSite, folder: string): Promise<PlainKeys> {
    await makeFolder(folder, 0o700);
    const now = new Date();
    const etcd = await keptAuthority(site.name, authorityIn(folder, "etcd"), now);
    return new PlainKeys(site, folder, etcd, await keptKubernetes(site.name, folder, now));
  }

  /** The certificates of a machine, and what it is told of Kubernetes. */
  async files(machine: Machine): Promise<readonly MachineFile[]> {
    const own = join(this.#folder, machine.name);
    await makeFolder(own, 0o700);
    const now = new Date();
    const pair = (name: string) => ({
      certificate: join(own, `${name}.crt`),
      key: join(own, `${name}.key`),
    });
    const etcd = (name: Certificate) =>
      name === "ca" ? authorityIn(this.#folder, "etcd") : pair(`etcd-${name}`);
    await ensureCertificates(machine, now, etcd);
    await ensureKubernetes(this.#site, machine, now, {
      authority: (name) => authorityIn(this.#folder, name === "etcd" ? name : `kubernetes-${name}`),
      leaf: pair,
      kubeconfig: (name) => join(own, `${name}.conf`),
    });
    const leaves = (["server", "peer", "client"] as const).flatMap((name) => [
      [tlsFile(name, "crt"), etcd(name).certificate] as const,
      [tlsFile(name, "key"), etcd(name).key] as const,
    ]);
    const made = [
      ...leaves,
      ...leafNames.flatMap((name) => [
        [pkiFile(name, "crt"), pair(name).certificate] as const,
        [pkiFile(name, "key"), pair(name).key] as const,
      ]),
      ...kubeconfigNames.map((name) => [kubeconfigFile(name), join(own, `${name}.conf`)] as const),
    ];
    const read = made.map(
      async ([path, from]): Promise<MachineFile> => ({
        path,
        mode: 0o600,
        content: await readFile(from, "utf8"),
      }),
    );
    return [
      { path: tlsFile("ca", "crt"), mode: 0o644, content: this.#etcd.certificate },
      ...kubernetesFiles(this.#site, machine, this.#kubernetes, this.#etcd.certificate),
      ...(await Promise.all(read)),
    ];
  }

  /** An administrator's, as `duet kubeconfig` gives it, at the API server of that machine. */
  async admin(machine: Machine): Promise<string> {
    const site = { ...this.#site, api: { address: machine.addresses[0] ?? "" } };
    const { text } = await adminKubeconfig(site, async (publicKey) =>
      signAdmin(this.#kubernetes.authority, publicKey, 1, new Date()),
    );
    return text;
  }

  /** Of one who may do everything: there is no rule yet that lets an administrator in. */
  master(machine: Machine): string {
    const { authority } = this.#kubernetes;
    const { tls } = masterApi(this.#site, authority, new Date());
    return kubeconfigText({
      cluster: this.#site.name,
      user: "master",
      server: apiUrl(machine.addresses[0] ?? ""),
      authority: authority.certificate,
      certificate: tls.cert,
      key: new Secret(tls.key),
    });
  }
}

const authorityIn = (folder: string, name: string) => ({
  certificate: join(folder, `${name}.crt`),
  key: join(folder, `${name}.key`),
});
