import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "../src/machine/files.ts";
import { bmcIsUp, killBmc, startBmc } from "./devices.ts";
import type { Lab, LabMachine } from "./folder.ts";
import { metalOf } from "./metal/power.ts";

/** The cable that feeds a machine and its BMC. Without it both are dead, and no BMC can tell that its machine is off. */

const mark = (m: LabMachine): string => join(m.folder, "feed-off");

export async function feedIsOn(m: LabMachine): Promise<boolean> {
  return !(await exists(mark(m)));
}

export async function feedOff(lab: Lab, m: LabMachine): Promise<void> {
  await writeFile(mark(m), "");
  // The BMC first: it must not see its machine go off, or it would remember that.
  await killBmc(lab, m);
  await metalOf(lab, m.machine.name).cut();
}

/** The BMC comes up; whether the machine follows is the BMC's PowerRestorePolicy. */
export async function feedOn(lab: Lab, m: LabMachine): Promise<void> {
  // A BMC whose process died is dead as without feed: this brings it back too.
  if ((await feedIsOn(m)) && (await bmcIsUp(lab, m))) return;
  await rm(mark(m), { force: true });
  await startBmc(lab, m, { feedReturned: true });
}
