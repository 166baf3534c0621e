import type { Lab } from "./folder.ts";
import { runIn } from "./run.ts";

/**
 * Settings beside a unit's own, which systemd reads with the next `daemon-reload`. Those in /run are gone with the boot, those in /etc stay,
 * a power cut too once they are synced.
 */
type Lasts = "/run" | "/etc";
const folderOf = (unit: string, lasts: Lasts): string => `${lasts}/systemd/system/${unit}.d`;
export const dropInFile = (unit: string, name: string, lasts: Lasts = "/run"): string =>
  `${folderOf(unit, lasts)}/${name}`;

export async function putDropIn(
  lab: Lab,
  machine: string,
  unit: string,
  name: string,
  text: string,
  lasts: Lasts = "/run",
): Promise<void> {
  await runIn(lab, machine, ["mkdir", "--parents", folderOf(unit, lasts)]);
  await runIn(lab, machine, ["tee", dropInFile(unit, name, lasts)], { input: text });
}
