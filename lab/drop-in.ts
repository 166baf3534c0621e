import type { Lab } from "./folder.ts";
import { runIn } from "./run.ts";

/** Settings beside a unit's own, in /run: no reboot keeps them. systemd reads them with the next `daemon-reload`. */
const folderOf = (unit: string): string => `/run/systemd/system/${unit}.d`;
export const dropInFile = (unit: string, name: string): string => `${folderOf(unit)}/${name}`;

export async function putDropIn(
  lab: Lab,
  machine: string,
  unit: string,
  name: string,
  text: string,
): Promise<void> {
  await runIn(lab, machine, ["mkdir", "--parents", folderOf(unit)]);
  await runIn(lab, machine, ["tee", dropInFile(unit, name)], { input: text });
}
