import { machineAlerts } from "./alerts.ts";
import type { Endpoint, Machine, Site, Trust } from "../site/site.ts";
import { writeSite } from "../site/write.ts";

export const credentialsFile = (m: Machine): string => `/etc/duet/bmc/${m.name}.credentials`;
export const pduCredentialsFile = (m: Machine): string => `/etc/duet/bmc/${m.name}.pdu-credentials`;
export const authorityFile = (index: number): string =>
  `/usr/local/share/ca-certificates/duet-bmc-${index + 1}.crt`;

/** Certificate authorities that the site names, each once: their index is the number in the file's name. */
export function authorities(site: Site): readonly string[] {
  const endpoints = site.machines.flatMap((m): Endpoint[] => [
    m.bmc,
    ...(m.pdu === undefined ? [] : [m.pdu]),
  ]);
  return [...new Set(endpoints.flatMap((e) => (e.trust.by === "ca" ? [e.trust.file] : [])))];
}

/** The site file as a machine holds it: the same site, with its references pointing to the machine's own files. */
export function machineSite(site: Site): string {
  const known = authorities(site);
  const trust = (t: Trust): Trust =>
    t.by === "ca" ? { by: "ca", file: authorityFile(known.indexOf(t.file)) } : t;
  return writeSite({
    ...site,
    ssh_keys: ["/root/.ssh/authorized_keys"],
    alerts: machineAlerts(site.alerts),
    machines: site.machines.map((m) => ({
      ...m,
      bmc: { ...m.bmc, credentials: { file: credentialsFile(m) }, trust: trust(m.bmc.trust) },
      ...(m.pdu === undefined
        ? {}
        : { pdu: { ...m.pdu, credentials: { file: pduCredentialsFile(m) }, trust: trust(m.pdu.trust) } }),
    })),
  });
}
