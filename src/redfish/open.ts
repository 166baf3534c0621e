import { loadLogin } from "../machine/logins.ts";
import { refusalsOf } from "../machine/refusals.ts";
import { loadTrust } from "../machine/trust.ts";
import type { Bmc, Endpoint, Pdu } from "../site/site.ts";
import { RedfishClient } from "./client.ts";
import { OutletClient } from "./pdu.ts";
import type { Service } from "./transport.ts";

/**
 * A client for what the site file names. Throws DuetError where credentials or trust can't be read; calls nothing yet.
 * `run`: where a machine notes for this boot what was refused; who gives it waits while that is fresh.
 */
export async function openBmc(
  bmc: Bmc,
  siteFolder: string,
  deadline_ms: number,
  run?: string,
): Promise<RedfishClient> {
  const service = await open(bmc, siteFolder, deadline_ms);
  const refusals = run === undefined ? undefined : refusalsOf(bmc.url, bmc.credentials, siteFolder, run);
  return new RedfishClient({
    ...service,
    ...(bmc.system === undefined ? {} : { system: bmc.system }),
    ...(refusals === undefined ? {} : { refusals, waitsAfter: 1 }),
  });
}

export async function openOutlet(pdu: Pdu, siteFolder: string, deadline_ms: number): Promise<OutletClient> {
  return new OutletClient({ ...(await open(pdu, siteFolder, deadline_ms)), outlet: pdu.outlet });
}

async function open(endpoint: Endpoint, siteFolder: string, deadline_ms: number): Promise<Service> {
  return {
    url: endpoint.url,
    ...(await loadLogin(endpoint.credentials, siteFolder)),
    trust: await loadTrust(endpoint.trust, siteFolder),
    deadline_ms,
  };
}
