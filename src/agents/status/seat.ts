import * as v from "valibot";
import type { Machine, Site } from "../../site/site.ts";
import { callBySsh, judgeSsh } from "../check/ssh.ts";
import { readPower } from "./power.ts";
import { type Known, known, type Report, reportShape, unknown } from "./report.ts";
import type { Views } from "./status.ts";

const connect_ms = 1_000;
/** The machine's own answer takes as long as its slowest source. */
const ssh_ms = 8_000;
/** A machine that hangs still takes connections: so long may it be silent. */
const silent_s = 2;
const not_found = 127;
const bad_call = 2;

export interface Seat {
  readonly site: Site;
  readonly folder: string;
  readonly ssh_config?: string;
  readonly power: boolean;
}

/** From an operator's computer: both machines over ssh, as `duet check` does, and both BMCs, all at once. */
export async function viewsFromSeat({ site, folder, ssh_config, power }: Seat): Promise<Views> {
  const [reports, powers] = await Promise.all([
    Promise.all(
      site.machines.map(async (machine) => [machine.name, await askOne(machine, ssh_config)] as const),
    ),
    Promise.all(
      (power ? site.machines : []).map(
        async (machine) => [machine.name, await readPower(machine, folder)] as const,
      ),
    ),
  ]);
  return {
    site: site.name,
    machines: site.machines.map(({ name }) => name),
    noOutlet: withoutOutlet(site),
    from: undefined,
    at_ms: Date.now(),
    reports: Object.fromEntries(reports),
    power: Object.fromEntries(powers),
  };
}

/** The stock agent uses none. */
export const withoutOutlet = ({ machines, fencing: { agent } }: Site): readonly string[] =>
  machines.filter(({ pdus }) => pdus.length === 0 || agent === "fence_redfish").map(({ name }) => name);

export async function askOne(machine: Machine, config: string | undefined): Promise<Known<Report>> {
  const answer = await callBySsh(machine, {
    config,
    words: ["status", "--here", "--no-power", "--json"],
    connect_ms,
    silent_s,
    deadline_ms: ssh_ms,
  });
  if (!answer.ok) return unknown(answer.why);
  return reportIn(machine.name, answer.address, answer.status, answer.stdout, answer.stderr);
}

export function reportIn(
  name: string,
  address: string,
  status: number,
  stdout: string,
  stderr: string,
): Known<Report> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), reportShape), stdout);
  if (status === 0 && parsed.success)
    return parsed.output.machine === name
      ? known(parsed.output)
      : unknown(`the machine at ${address} calls itself ${parsed.output.machine}`);
  if (status === bad_call || (status === 0 && !parsed.success))
    return unknown("its duet is of another version, and tells its status in another way");
  if (status === not_found) return unknown("it has no duet yet");
  const { detail } = judgeSsh(name, address, status, stderr);
  return unknown(status === 255 ? detail : `\`duet status\` there ended with status ${status}`);
}
