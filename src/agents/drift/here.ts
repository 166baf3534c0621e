import { DuetError } from "../../base/problem.ts";
import { quorumFlags } from "../../machine/corosync.ts";
import { readIfThere } from "../../machine/files.ts";
import { liveConfiguration } from "../../machine/pacemaker.ts";
import { corosyncDrift, pacemakerDrift } from "./judge.ts";

/** As `duet render` wrote it. */
export const configurationFile = "/etc/duet/cib.xml";
export const corosyncFile = "/etc/corosync/corosync.conf";

export interface Drift {
  /** The same on both machines. */
  readonly pacemaker: readonly string[];
  /** This machine's own. */
  readonly corosync: readonly string[];
}

/** Undefined where nothing was rendered, or nothing runs that could be compared: other lines say that. */
export async function driftHere(deadline_ms: number): Promise<Drift | undefined> {
  const written = await readIfThere(configurationFile);
  if (written === undefined) return undefined;
  try {
    const [cib, flags] = await Promise.all([liveConfiguration(deadline_ms), quorumFlags(deadline_ms)]);
    if (cib === undefined || flags === undefined) return undefined;
    const conf = (await readIfThere(corosyncFile)) ?? "";
    return { pacemaker: pacemakerDrift(cib, written), corosync: corosyncDrift(flags, conf) };
  } catch (error) {
    if (!(error instanceof DuetError)) throw error;
    return undefined;
  }
}
