import { apiUnit } from "../../base/paths.ts";
import { run } from "../../machine/process.ts";
import { addressOf } from "../../render/api-address.ts";
import { hasKubernetes, type KubernetesSite } from "../../render/kubernetes/names.ts";
import { accessObjects, dnsObjects } from "../../render/kubernetes/objects.ts";
import type { Machine, Site } from "../../site/site.ts";
import { canHold } from "../api/can-hold.ts";
import { readAuthority } from "../authority.ts";
import { masterApi, makeObjects, nodesReady, served } from "../kubernetes/api.ts";
import { authorityFiles, kinds } from "../kubernetes/authority.ts";
import { ensureKubernetes } from "../kubernetes/certificates.ts";
import { hasNameServers, placeHere } from "../kubernetes/place.ts";
import { requirePrograms } from "../kubernetes/programs.ts";

type Say = (detail: string) => void;
type Step = (name: string, work: (say: Say) => Promise<unknown>) => Promise<void>;

/** Before Pacemaker is told to start a kubelet: everything that it needs. Nothing where the site has no `kubernetes:`. */
export async function prepareKubernetes(step: Step, site: Site, machine: Machine): Promise<void> {
  if (!hasKubernetes(site)) return;
  await step("see that CRI-O and the kubelet are installed", requirePrograms);
  const address = addressOf(site);
  if (address !== undefined)
    await step("see that this machine can hold the API's address", (say) => canHold(address, say));
  await step("make Kubernetes' certificates", (say) => certifyKubernetes(site, machine, say));
  await step("give this machine what its CRI-O and kubelet lack", (say) => placeHere(site, machine, say));
}

/** With etcd whole: its API, what must be in it, and both machines as its nodes. */
export async function seeKubernetes(step: Step, site: Site): Promise<void> {
  if (!hasKubernetes(site)) return;
  // At each boot it is started by systemd; on a machine that is being set up nobody would, until then.
  await step("watch this machine's API server", () => run(["systemctl", "start", apiUnit]));
  const api = masterApi(site, await readAuthority(authorityFiles("ca"), kinds.ca), new Date());
  await step("see the Kubernetes API serve here", (say) => served(api, say));
  await step("make Kubernetes' objects: who may do what, and DNS", async (say) => {
    const objects = [...accessObjects(site), ...dnsObjects(site, await hasNameServers())];
    await makeObjects(api, objects, say);
  });
  const names = site.machines.map(({ name }) => name);
  await step("see both machines Ready", (say) => nodesReady(api, names, say));
}

export async function certifyKubernetes(site: KubernetesSite, machine: Machine, say: Say): Promise<void> {
  const made = await ensureKubernetes(site, machine, new Date());
  say(made.length === 0 ? "nothing to change" : made.join(", "));
}
