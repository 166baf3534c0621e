import { stringify } from "yaml";
import { formatDuration } from "./duration.ts";
import type { Alert, Endpoint, Kubernetes, Machine, Site } from "./site.ts";

/** A site as the text of a site file, every value said. `readSite` of it gives the same site. */
export function writeSite(site: Site): string {
  const written = {
    name: site.name,
    topology: site.topology,
    ssh_key: site.ssh_keys,
    machines: site.machines.map(machine),
    ...(site.api === undefined ? {} : { api: site.api }),
    ...(site.kubernetes === undefined ? {} : { kubernetes: kubernetes(site.kubernetes) }),
    fencing: site.fencing,
    witness: site.witness,
    timeouts: {
      token: formatDuration(site.timeouts.token_ms),
      bmc_call: formatDuration(site.timeouts.bmc_call_ms),
      fence: formatDuration(site.timeouts.fence_ms),
    },
    ...(site.alerts.length === 0 ? {} : { alerts: site.alerts.map(alert) }),
  };
  // Where two of its parts are one object: a site file has no aliases.
  return stringify(written, { aliasDuplicateObjects: false });
}

const kubernetes = ({ names, ...rest }: Kubernetes): object => ({
  ...rest,
  ...(names.length === 0 ? {} : { names }),
});

function alert(each: Alert): unknown {
  switch (each.by) {
    case "webhook": {
      const address = typeof each.url === "string" ? { url: each.url } : { url_file: each.url.file };
      const headers = each.headers === undefined ? {} : { headers: each.headers };
      return { webhook: { ...address, ...headers, ...trust(each.trust) } };
    }
    case "mail":
      return { mail: { to: each.to, ...(each.from === undefined ? {} : { from: each.from }) } };
    case "syslog":
      return { syslog: { facility: each.facility } };
  }
}

function machine(m: Machine): unknown {
  return {
    name: m.name,
    addresses: m.addresses,
    bmc: { ...endpoint(m.bmc), ...(m.bmc.system === undefined ? {} : { system: m.bmc.system }) },
    ...outlets(m.pdus),
  };
}

/** One is written plainly, as most people have it. */
function outlets(pdus: Machine["pdus"]): object {
  const [first, ...more] = pdus.map((pdu) => ({ ...endpoint(pdu), outlet: pdu.outlet }));
  if (first === undefined) return {};
  return { pdu: more.length === 0 ? first : [first, ...more] };
}

function endpoint(e: Endpoint): object {
  return { address: e.url, credentials: e.credentials, ...trust(e.trust) };
}

function trust(t: Endpoint["trust"]): object {
  switch (t.by) {
    case "system":
      return {};
    case "ca":
      return { trust: { ca: t.file } };
    case "fingerprint":
      return { trust: { fingerprint: t.sha256 } };
    case "nothing":
      return { trust: { nothing: true } };
  }
}
