import type { MachineName } from "../src/scenario/slots.ts";
import type { Doing, Seen } from "../src/scenario/world.ts";
import { etcdUnit } from "../src/base/paths.ts";
import { dropInFile, putDropIn } from "./drop-in.ts";
import type { Lab } from "./folder.ts";
import { runIn } from "./run.ts";
import type { Stage } from "./scenario-stage.ts";

/** Programs by the names of their units. */
const units: Readonly<Record<string, string>> = { etcd: etcdUnit, crio: "crio.service" };
export const unitOf = (program: string): string => units[program] ?? `${program}.service`;

/** A start that fails at once; a stop that systemd refuses to whoever asks. */
const hindrances = {
  start: "[Service]\nExecStartPre=/usr/bin/false\n",
  stop: "[Unit]\nRefuseManualStop=yes\n",
} as const;

/** No reboot keeps it, as no hindrance of this kind outlives the person who put it there. */
const drop_in = "hindered.conf";
const fileOf = (unit: string): string => dropInFile(unit, drop_in);

export function unitWords(stage: Stage): Doing {
  const hinder = async (program: string, machine: MachineName, what: keyof typeof hindrances) => {
    const lab = await stage.lab();
    await putDropIn(lab, machine, unitOf(program), drop_in, hindrances[what]);
    await runIn(lab, machine, ["systemctl", "daemon-reload"]);
    return done;
  };
  return {
    "unit-wont-start": ({ unit, machine }) => hinder(unit, machine, "start"),
    "unit-wont-stop": ({ unit, machine }) => hinder(unit, machine, "stop"),
    "mend-unit": async ({ unit, machine }) => {
      await mend(await stage.lab(), machine, unitOf(unit));
      return done;
    },
  };
}

const done: Seen = { ok: true, seen: "" };

/** Only where something was hindered: to read all units anew takes a second of a busy machine. */
const mendScript =
  'for file do if [ -e "$file" ]; then rm "$file"; again=yes; fi; done; ${again:+systemctl daemon-reload}';

async function mend(lab: Lab, machine: string, ...hindered: readonly string[]): Promise<void> {
  await runIn(lab, machine, ["sh", "-c", mendScript, "sh", ...hindered.map(fileOf)]);
}

/** Everything that a scenario did to the programs of a machine is undone: whoever was stopped goes on, nobody is hindered. */
export async function endUnitFaults(lab: Lab, machine: string): Promise<void> {
  for (const program of ["etcd", "corosync", "pacemaker"])
    await runIn(lab, machine, ["systemctl", "kill", "--signal=SIGCONT", unitOf(program)], { accept: "any" });
  await mend(lab, machine, ...["etcd", "kubelet", "crio"].map(unitOf));
}
