import { machineAlerts } from "./alerts.ts";
import type { Endpoint, Machine, Site, Trust } from "../site/site.ts";
import { writeSite } from "../site/write.ts";

export const credentialsFile = (m: Machine): string => `/etc/duet/bmc/${m.name}.credentials`;
/** Of the outlet at this place in the machine's list. */
export const pduCredentialsFile = (m: Machine, index: number): string =>
  `/etc/duet/bmc/${m.name}.pdu${index === 0 ? "" : `-${index + 1}`}-credentials`;
export const authorityFile = (index: number): string =>
  `/usr/local/share/ca-certificates/duet-bmc-${index + 1}.crt`;

/** Certificate authorities that the site names, each once: their index is the number in the file's name. */
export function authorities(site: Site): readonly string[] {
  const endpoints = site.machines.flatMap((m): Endpoint[] => [m.bmc, ...m.pdus]);
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
      pdus: m.pdus.map((pdu, index) => ({
        ...pdu,
        credentials: { file: pduCredentialsFile(m, index) },
        trust: trust(pdu.trust),
      })),
    })),
  });
}
