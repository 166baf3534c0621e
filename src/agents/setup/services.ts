import { syncFolder } from "../../machine/files.ts";
import { run } from "../../machine/process.ts";
import type { LastingAttributes } from "../../machine/fence-times.ts";
import { writeLasting } from "../../machine/fence-times.ts";
import { unitState } from "../../machine/systemd.ts";
import { type Installed, type Service, services } from "../../render/services.ts";
import type { Site } from "../../site/site.ts";

/** Which of the services a machine has, as a lasting attribute of it: the other one needs it to make the same configuration. */
export const servicesAttribute = "duet-services";
const none = "none";
const call_ms = 10_000;
/** What is started at boot. Synced when it was changed: a kubelet that a power cut enables again would start on a lone machine. */
export const wantsFolder = "/etc/systemd/system/multi-user.target.wants";

/**
 * Looks which of them are installed here, tells it to the peer, and takes them from systemd's own care: a machine that boots alone
 * is inert, and only Pacemaker knows when that is over. One that runs is left running, Pacemaker finds it so.
 */
export async function handOver(me: string, say: (detail: string) => void): Promise<void> {
  const found: Service[] = [];
  for (const service of services) {
    const { load } = await unitState(`${service}.service`, call_ms);
    if (load === "loaded") found.push(service);
  }
  for (const service of found)
    await run(["systemctl", "disable", `${service}.service`], { deadline_ms: 30_000 });
  if (found.length > 0) await syncFolder(wantsFolder);
  await writeLasting(me, servicesAttribute, found.join(" ") || none);
  say(found.join(", ") || "neither crio nor kubelet is installed");
}

/** Undefined while one of the machines has not said what it has. */
export function installedIn(site: Pick<Site, "machines">, given: LastingAttributes): Installed | undefined {
  const found = new Map<string, ReadonlySet<Service>>();
  for (const { name } of site.machines) {
    const said = given.get(name)?.get(servicesAttribute)?.split(" ");
    if (said === undefined) return undefined;
    found.set(name, new Set(services.filter((service) => said.includes(service))));
  }
  return found;
}
