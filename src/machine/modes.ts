import { run } from "./process.ts";

/** What a person tells Pacemaker about the whole. It stands in the configuration: on both machines, and over reboots. */

/** Nothing there to delete. */
const status_nothing = 105;

/** It stays a member, and Pacemaker runs nothing on it. Said on either machine. */
export async function setStandby(machine: string, on: boolean, deadline_ms: number): Promise<void> {
  const attribute = ["crm_attribute", "--node", machine, "--name", "standby"] as const;
  if (on) {
    await run([...attribute, "--lifetime", "forever", "--update", "on"], { deadline_ms });
    return;
  }
  // Also one that somebody else said until the next reboot.
  for (const lifetime of ["forever", "reboot"])
    await run([...attribute, "--lifetime", lifetime, "--delete"], {
      deadline_ms,
      accept: [0, status_nothing],
    });
}

export async function isMaintained(deadline_ms: number): Promise<boolean> {
  const query = [
    "--type",
    "crm_config",
    "--name",
    "maintenance-mode",
    "--query",
    "--quiet",
    "--default",
    "false",
  ];
  return (await run(["crm_attribute", ...query], { deadline_ms })).stdout.trim() === "true";
}

/** Pacemaker starts, stops and watches nothing, on both machines. */
export async function setMaintenance(on: boolean, deadline_ms: number): Promise<void> {
  const what = on ? ["--update", "true"] : ["--delete"];
  await run(["crm_attribute", "--type", "crm_config", "--name", "maintenance-mode", ...what], {
    deadline_ms,
    accept: [0, status_nothing],
  });
}
