import type { Machine } from "../../site/site.ts";
import { judgeAlerts } from "./alerts.ts";
import { judgeClock, type Offset } from "./clock.ts";
import type { CheckContext } from "./context.ts";
import { judgeDisk } from "./disk.ts";
import { judgeDrift } from "./drift.ts";
import { judgeEtcd } from "./etcd.ts";
import { judgeEtcdutl } from "./etcdutl.ts";
import type { Finding } from "./finding.ts";
import { judgeKubernetes } from "./kubernetes.ts";
import { judgeLinks, reach } from "./links.ts";
import type { ProbeReport } from "./probe.ts";
import { judgeProof } from "./proof.ts";
import { judgeSetup } from "./setup.ts";
import { probeBySsh } from "./ssh.ts";

export interface MachineFindings {
  readonly findings: readonly Finding[];
  /** Its clock against ours, where it could be asked. */
  readonly offset?: Offset;
  /** What its cluster knows of fences. */
  readonly fencing?: ProbeReport["fencing"];
  /** What it knows of whether the BMCs keep their tags. */
  readonly witness?: ProbeReport["witness"];
  readonly says?: ProbeReport["says"];
  readonly etcd?: ProbeReport["etcd"];
}

/** The machine itself: its links, and over ssh its clock and disk. */
export async function checkMachine(machine: Machine, context: CheckContext): Promise<MachineFindings> {
  const subject = machine.name;
  const reaches = await Promise.all(machine.addresses.map((address) => reach(address)));
  const links = judgeLinks(subject, reaches);
  const open = reaches.find((each) => each.ssh !== "silent");
  if (open === undefined) return { findings: links };
  const probed = await probeBySsh(subject, open.address, context);
  if (!probed.ok) return { findings: [...links, probed.finding] };
  const { report, offset } = probed;
  return {
    findings: [
      ...links,
      judgeClock(subject, "clock", "here", offset),
      judgeDisk(subject, report.disk),
      ...judgeSetup(subject, report.setup),
      ...judgeDrift(subject, report.drift),
      ...judgeEtcd(subject, report.etcd),
      ...judgeEtcdutl(subject, report.etcdutl),
      ...judgeKubernetes(subject, context.site, report.kubernetes),
      ...judgeProof(subject, report),
      ...judgeAlerts(subject, report.alerts),
    ],
    offset,
    fencing: report.fencing,
    witness: report.witness,
    says: report.says,
    etcd: report.etcd,
  };
}
