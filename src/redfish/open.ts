import { loadLogin } from "../machine/logins.ts";
import { loadTrust } from "../machine/trust.ts";
import type { Bmc, Endpoint, Pdu } from "../site/site.ts";
import { RedfishClient } from "./client.ts";
import { OutletClient } from "./pdu.ts";
import type { Service } from "./transport.ts";

/** A client for what the site file names. Throws DuetError where credentials or trust can't be read; calls nothing yet. */
export async function openBmc(bmc: Bmc, siteFolder: string, deadline_ms: number): Promise<RedfishClient> {
  const service = await open(bmc, siteFolder, deadline_ms);
  return new RedfishClient({ ...service, ...(bmc.system === undefined ? {} : { system: bmc.system }) });
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
