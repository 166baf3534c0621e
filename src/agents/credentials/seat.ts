import * as v from "valibot";
import { credentialsLine } from "../../machine/credentials.ts";
import { replaceSynced } from "../../machine/files.ts";
import type { Progress } from "../../machine/progress.ts";
import type { Machine, Site } from "../../site/site.ts";
import { callDuet, onFirst } from "../remote.ts";
import { valueOf } from "../status/report.ts";
import { askOne } from "../status/seat.ts";
import { fileOf, machineNamed } from "./keeper.ts";
import type { Rotated, Wanted } from "./rotate.ts";

/** Two waits for the peer's agent, and the BMC at its slowest. */
const rotate_ms = 5 * 60_000;

const rotatedShape = v.object({
  machine: v.string(),
  here: v.string(),
  changed: v.boolean(),
  peer: v.object({ name: v.string(), has: v.picklist(["proven", "both", "later"]) }),
});

export interface Seat {
  readonly site: Site;
  readonly folder: string;
  readonly ssh_config: string | undefined;
}

/** `file`: the operator's own, which has the new ones too; undefined: they are in a variable, for the operator to change. */
export interface RotatedFromSeat extends Rotated {
  readonly file?: string;
}

/**
 * From an operator's computer: over ssh on one machine, which hands them to the other. By preference on the one that would fence with
 * them. The operator's own file is changed last: `duet check` and `duet render` go on with what the machines have proven.
 */
export async function rotateFromSeat(
  { site, folder, ssh_config }: Seat,
  wanted: Wanted,
  progress: Progress,
): Promise<RotatedFromSeat> {
  const own = machineNamed({ site }, wanted.machine);
  const order = await inOrder(site, own, ssh_config);
  const line = credentialsLine(wanted.credentials);
  const rotated = await progress.step(`change the credentials of ${own.name}'s BMC on the machines`, (say) =>
    onFirst(order, notBegun, (machine) => {
      say(`on ${machine.name}`);
      return callDuet(machine, rotatedShape, {
        words: ["credentials", "rotate", own.name, ...(wanted.change ? ["--change"] : [])],
        ssh_config,
        deadline_ms: rotate_ms,
        input: line,
      });
    }),
  );
  if (!("file" in own.bmc.credentials)) return rotated;
  const file = fileOf({ site, folder }, own.name);
  await progress.step(`write them to ${own.bmc.credentials.file}`, () => replaceSynced(file, line, 0o600));
  return { ...rotated, file };
}

const notBegun: ReadonlySet<string> = new Set(["DUET-E-SEAT-SSH", "DUET-E-CREDENTIALS-ALONE"]);

/** First who has quorum: a machine that just boots knows of nobody. Of two, the one that would fence with them. */
async function inOrder(
  site: Site,
  own: Machine,
  ssh_config: string | undefined,
): Promise<readonly Machine[]> {
  const machines = [...site.machines.filter((each) => each !== own), own];
  const reports = await Promise.all(machines.map((each) => askOne(each, ssh_config)));
  const quorate = (index: number) => valueOf(valueOf(reports[index])?.corosync)?.quorate === true;
  return [
    ...machines.filter((_, index) => quorate(index)),
    ...machines.filter((_, index) => !quorate(index)),
  ];
}
