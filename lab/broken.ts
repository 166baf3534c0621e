import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "../src/machine/files.ts";
import type { LabMachine } from "./folder.ts";

/** A machine that is broken has no power, and gets none: its BMC lives, takes the command to power on, and goes on reading Off. */
const mark = (m: LabMachine): string => join(m.folder, "broken");

export const isBroken = (m: LabMachine): Promise<boolean> => exists(mark(m));

/** Before its power is cut, so that nobody is quick enough to power it on in between. */
export const breakMachine = (m: LabMachine): Promise<void> => writeFile(mark(m), "");

export const repairMachine = (m: LabMachine): Promise<void> => rm(mark(m), { force: true });
