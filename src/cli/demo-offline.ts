import { performance } from "node:perf_hooks";
import { defaultSite } from "../../lab/site.ts";
import { type Failover, failover, type Phase, type Was } from "../../sim/scenario/failover.ts";
import { type ExitStatus, exit } from "../base/problem.ts";
import { Secret } from "../base/secret.ts";
import { seconds } from "../machine/progress.ts";
import { machineIgnition } from "../render/machine.ts";
import { paint, printJson } from "./output.ts";

/** The run that is shown: the same on every box. */
const seed = 1;

/** Where no machines can run: the same story in the simulator, by the same rules and steps. */
export async function demoWithoutMachines(why: string, json: boolean): Promise<ExitStatus> {
  const begun_ms = performance.now();
  const run = await failover(seed);
  const took_ms = performance.now() - begun_ms;
  if (json) printJson({ simulated: true, why, ...run });
  else process.stdout.write(told(run, why, took_ms));
  return run.broken === undefined ? exit.ok : exit.failed;
}

function told(run: Failover, why: string, took_ms: number): string {
  return [
    `Can't run machines here: ${why}.`,
    "Here is a failover in duet's simulator instead: two machines with their disks, wires and BMCs, Corosync, Pacemaker",
    "and etcd are models on a virtual clock; what decides and acts on them is duet's own code.",
    "",
    ...timeline(run),
    "",
    ...strips(run),
    "",
    ...closing(run, took_ms),
    "",
    ...whatNext(),
    "",
  ].join("\n");
}

function timeline({ phases, lost_ms }: Failover): readonly string[] {
  const [before, after] = [
    phases.filter(({ at_ms }) => at_ms < lost_ms),
    phases.filter(({ at_ms }) => at_ms >= lost_ms),
  ];
  const row = (since_ms: number, sign: string) =>
    function line({ at_ms, name, text }: Phase): string {
      const time = `${sign}${((at_ms - since_ms) / 1000).toFixed(1)} s`.padStart(9);
      return `  ${time}  ${paint(colour[name] ?? "reset", text)}`;
    };
  return [
    paint("bold", "After both machines were switched on"),
    ...before.map(row(0, "")),
    `  ${" ".repeat(9)}  clients write and read on both machines`,
    paint("bold", "After the leader lost its power"),
    ...after.map(row(lost_ms, "+ ")),
  ];
}

const colour: Readonly<Record<string, "red" | "green">> = {
  lost: "red",
  "first write": "green",
  "1+1": "green",
  "1+1 again": "green",
};

const sign: Readonly<Record<Was, string>> = { off: "·", boots: "░", up: "▒", learner: "▓", voter: "█" };

/** A column for each second. */
function strips({ seconds: all }: Failover): readonly string[] {
  const ruler = all.map((_, second) => (second % 10 === 0 ? String(second).padEnd(10) : "")).join("");
  const machine = (id: 0 | 1) => all.map(({ machines }) => sign[machines[id]]).join("");
  return [
    paint("bold", "Second by second"),
    `  ${"".padEnd(7)} ${ruler.trimEnd()}`,
    `  ${"node1".padEnd(7)} ${machine(0)}`,
    `  ${"node2".padEnd(7)} ${machine(1)}`,
    `  ${"writes".padEnd(7)} ${all.map(({ writes }) => (writes > 0 ? "█" : "·")).join("")}`,
    `  ${"".padEnd(7)} █ votes, or writes are acknowledged  ▓ learner  ▒ up, without etcd  ░ boots  · off, or none`,
  ];
}

function closing(run: Failover, took_ms: number): readonly string[] {
  const { acknowledged, unanswered, gap_ms, seconds: all, broken } = run;
  if (broken !== undefined) return [paint("red", `This should not have happened: ${broken}`)];
  return [
    paint("green", `Nothing was lost: ${acknowledged} writes acknowledged, and all can be read.`),
    `For ${seconds(gap_ms)} no write was acknowledged. ${unanswered} got no answer in that time: they may have happened or not,`,
    "and nobody was told that they did.",
    `${all.length} simulated seconds took ${seconds(took_ms)} here.`,
  ];
}

function whatNext(): readonly string[] {
  return [
    paint("bold", "What this can't show"),
    "  Real etcd, Pacemaker and Redfish at work, and how long they take. On a Debian box with root the same command",
    "  boots two machines from an image, cuts the power of one, and measures.",
    paint("bold", "Next"),
    "  ./duet sim run                                              hundreds of storms against the same rules",
    "  ./duet scenario run scenarios/network-failure.txt --in sim  another story, of about ninety",
    "  ./duet rules                                                who may do what, and why",
    `  ./duet init, ./duet render                                  your own site; each machine gets ${filesPerMachine()} files`,
  ];
}

/** What duet would put onto a machine, made from the lab's site by the same code. */
function filesPerMachine(): number {
  const site = defaultSite("demo");
  const credentials = new Map(
    site.machines.map((m) => [m.name, { username: "operator", password: new Secret("") }]),
  );
  const each = site.machines.map(
    (machine) =>
      machineIgnition(site, machine, {
        credentials,
        pduCredentials: new Map(),
        sshKeys: [],
        authorities: new Map(),
        alerts: { secrets: new Map(), authorities: new Map() },
        corosyncKey: new Uint8Array(256),
        etcdAuthority: { certificate: "", key: new Secret("") },
      }).storage.files.length,
  );
  return Math.max(...each);
}
