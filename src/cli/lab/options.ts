import type { Command } from "commander";
import { defaultLab } from "../../../lab/name.ts";

export interface LabOptions {
  readonly name: string;
  readonly json?: boolean;
}

/** Every lab command works on one lab, by name. */
export function labCommand(lab: Command, usage: string, description: string): Command {
  return lab.command(usage).description(description).option("--name <lab>", "which lab", defaultLab);
}
