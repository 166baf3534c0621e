import type { MachineName } from "../src/scenario/slots.ts";
import type { Doing, Seen } from "../src/scenario/world.ts";
import { etcdUnit } from "../src/base/paths.ts";
import { apiUrl, pkiFile } from "../src/render/kubernetes/names.ts";
import { dropInFile, putDropIn } from "./drop-in.ts";
import { type Lab, machineOf } from "./folder.ts";
import { isOn } from "./metal/power.ts";
import { runIn, seatName } from "./run.ts";
import type { Stage } from "./scenario-stage.ts";

/** Programs by the names of their units. */
const units: Readonly<Record<string, string>> = { etcd: etcdUnit, crio: "crio.service" };
export const unitOf = (program: string): string => units[program] ?? `${program}.service`;

/** Not systemd's: a container of the kubelet's, seen from its machine. */
export const api_server = "apiserver";

type Signal = "SIGKILL" | "SIGSTOP" | "SIGCONT";

/**
 * Units with more in them than the program that a story names: in CRI-O's is the conmon of each container (where control groups are
 * cgroupfs's), in the kubelet's what it has called. A container whose conmon is killed dies of its next output, and one whose conmon is
 * stopped waits with it. Of the others Pacemaker is all of its daemons, and etcd and Corosync are one process.
 */
const moreWithin: ReadonlySet<string> = new Set(["crio", "kubelet"]);

/** What sends a signal to the program. */
export function signalCommand(program: string, signal: Signal): readonly string[] {
  if (program === api_server) return ["pkill", "--signal", signal, "--full", "^kube-apiserver "];
  const whom = moreWithin.has(program) ? "main" : "all";
  return ["systemctl", "kill", `--kill-whom=${whom}`, `--signal=${signal}`, unitOf(program)];
}

/** A signal to the program; nobody asked it to stop. */
export async function signalProgram(
  lab: Lab,
  machine: string,
  program: string,
  signal: Signal,
): Promise<void> {
  await runIn(lab, machine, signalCommand(program, signal));
}

/** Whether it is up; of an API server, whether it is ready. */
export async function runsProgram(lab: Lab, machine: string, program: string): Promise<boolean> {
  if (program !== api_server) {
    const argv = ["systemctl", "is-active", "--quiet", unitOf(program)];
    return (await runIn(lab, machine, argv, { accept: "any" })).status === 0;
  }
  const address = lab.site.machines.find(({ name }) => name === machine)?.addresses[0] ?? "";
  const argv = ["kubectl", `--server=${apiUrl(address)}`, "--request-timeout=3s", "get", "--raw", "/readyz"];
  return (await runIn(lab, seatName, argv, { accept: "any" })).status === 0;
}

/** A start that fails at once; a stop that systemd refuses to whoever asks. */
const hindrances = {
  start: "[Service]\nExecStartPre=/usr/bin/false\n",
  stop: "[Unit]\nRefuseManualStop=yes\n",
} as const;

/** No reboot keeps it, as no hindrance of this kind outlives the person who put it there. */
const drop_in = "hindered.conf";
const fileOf = (unit: string): string => dropInFile(unit, drop_in);

/**
 * What an API server reads when it starts and not later, and nobody else reads. This is no drop-in of a unit: it stays away until it is put
 * back, over a reboot, too.
 */
const serverNeeds = pkiFile("sa", "pub");
const aside = `${serverNeeds}.hindered`;

/** From now on this unit of the machine can't be started, or can't be stopped. */
export async function hinder(
  lab: Lab,
  machine: string,
  unit: string,
  what: keyof typeof hindrances,
): Promise<void> {
  await putDropIn(lab, machine, unit, drop_in, hindrances[what]);
  await runIn(lab, machine, ["systemctl", "daemon-reload"]);
}

export function unitWords(stage: Stage): Doing {
  const hindering = async (program: string, machine: MachineName, what: keyof typeof hindrances) => {
    const lab = await stage.lab();
    if (program === api_server) await runIn(lab, machine, ["mv", serverNeeds, aside]);
    else await hinder(lab, machine, unitOf(program), what);
    return done;
  };
  return {
    "unit-wont-start": ({ unit, machine }) => hindering(unit, machine, "start"),
    "unit-wont-stop": ({ unit, machine }) => hindering(unit, machine, "stop"),
    "mend-unit": async ({ unit, machine }) => {
      await mend(await stage.lab(), machine, unit);
      return done;
    },
  };
}

const done: Seen = { ok: true, seen: "" };

/**
 * What an API server needs is put back where it is away. Of units only where something was hindered: to read all of them anew takes a second
 * of a busy machine. What could not be stopped is left by Pacemaker until it is told, as `duet status` says.
 */
const mendScript = `[ ! -e ${aside} ] || mv ${aside} ${serverNeeds}
for file do
  [ -e "$file" ] || continue
  if grep --quiet RefuseManualStop "$file"; then stuck=yes; fi
  rm "$file"
  again=yes
done
\${again:+systemctl daemon-reload}
\${stuck:+crm_resource --cleanup}`;

/** A machine without power is mended: what hindered its units went with its power. */
async function mend(lab: Lab, machine: string, ...hindered: readonly string[]): Promise<void> {
  if (!(await isOn(lab, machineOf(lab, machine)))) return;
  const units = hindered.filter((program) => program !== api_server).map(unitOf);
  await runIn(lab, machine, ["sh", "-c", mendScript, "sh", ...units.map(fileOf)]);
}

/** Everything that a scenario did to the programs of a machine is undone: whoever was stopped goes on, nobody is hindered. */
export async function endUnitFaults(lab: Lab, machine: string): Promise<void> {
  for (const program of ["etcd", "corosync", "pacemaker", api_server])
    await runIn(lab, machine, signalCommand(program, "SIGCONT"), { accept: "any" });
  await mend(lab, machine, "etcd", "kubelet", "crio");
}
