import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openLab } from "../lab/folder.ts";
import { untilRecorded } from "../lab/records.ts";
import { runIn } from "../lab/run.ts";
import { inOneLab } from "../lab/scenario-labs.ts";
import { DuetError, exit } from "../src/base/problem.ts";
import { lineOf } from "../src/cli/scenario-run.ts";
import { replaceSynced } from "../src/machine/files.ts";
import { Progress } from "../src/machine/progress.ts";
import type { Told } from "../src/record/entry.ts";
import { parseRecord } from "../src/record/read.ts";
import { parseScenario } from "../src/scenario/parse.ts";
import type { Scenario } from "../src/scenario/scenario.ts";
import { takeDownWhenInterrupted } from "./bench/failover/interrupt.ts";
import { checkout } from "./tree.ts";

/** Makes lab/recordings anew: needs the lab (Linux, root), some ten minutes, and a box that is not busy. */
const lab_name = "recordings";
const told_ms_max = 180_000;

/** node1 is left each time. The journals' words are recorded when nothing is left to do: so the story waits for them. */
const story = (how: string, lost: string): string => `# Recorded: ${how}

worlds: lab

start both machines
until 1+1
clients write
${lost}
until 1+1
wait 1 minute
expect nothing lost
`;

const wire = `cut the wire between the machines
until node1 serves
until node2 is on
until node2 is inert
heal the wire between the machines`;

export const stories: Readonly<Record<string, string>> = {
  cut: story("a power cut", "cut the power of node2\nuntil node1 serves"),
  hang: story("a hang", "hang node2\nuntil node1 serves"),
  wire: story("a cut wire", wire),
};

/**
 * What of a machine's record is about its last failover: the survivor's from the loss on, the other's since it booted again. Lines stay as
 * they were written.
 */
export function ofLastFailover(text: string, what: "survivor" | "gone"): string {
  const { entries } = parseRecord(text, what);
  const boot = entries.at(-1)?.boot;
  const own = entries.filter((entry) => entry.boot === boot);
  const since_ms = what === "survivor" ? lostAt_ms(own) : Number.NEGATIVE_INFINITY;
  const lines = text.split("\n");
  const kept = own.filter(({ mono_ms }) => mono_ms >= since_ms).map(({ line }) => lines[line - 1]);
  return `${[lines[0], ...kept].join("\n")}\n`;
}

/**
 * When Corosync formed the membership without the peer that the last takeover followed, which its journal tells later than that; and not before
 * the two were whole.
 */
function lostAt_ms(entries: readonly Told[]): number {
  const events = entries.flatMap((entry) => (entry.kind === "event" ? [entry] : []));
  const takeover_ms = events.findLast(({ event }) => event === "takeover begins")?.mono_ms ?? 0;
  const moments_ms = events.flatMap(({ event, mono_ms, detail: { peer, ago_ms } }) => {
    if (event === "1+1") return [mono_ms];
    const isLoss = event === "membership" && peer === false && typeof ago_ms === "number";
    return isLoss ? [mono_ms - ago_ms] : [];
  });
  return Math.max(...moments_ms.filter((at_ms) => at_ms < takeover_ms));
}

function scenarioOf(name: string, text: string): Scenario {
  const { scenario, problems } = parseScenario(text, name);
  if (scenario === undefined) throw new DuetError(problems, exit.badInput);
  return scenario;
}

async function keep(name: string): Promise<void> {
  const lab = await openLab(lab_name);
  await untilRecorded(lab, "node1", "1+1", { after: "takeover ends", deadline_ms: told_ms_max });
  await untilRecorded(lab, "node2", "membership", { after: "peer back", deadline_ms: told_ms_max });
  const folder = join(checkout, "lab", "recordings", name);
  await mkdir(folder, { recursive: true });
  for (const [machine, what] of [
    ["node1", "survivor"],
    ["node2", "gone"],
  ] as const) {
    const { stdout } = await runIn(lab, machine, ["duet", "record"]);
    await replaceSynced(join(folder, `${machine}.jsonl`), ofLastFailover(stdout, what));
  }
}

if (import.meta.main) {
  takeDownWhenInterrupted(lab_name);
  const asked = process.argv.slice(2);
  const scenarios = Object.entries(stories)
    .filter(([name]) => asked.length === 0 || asked.includes(name))
    .map(([name, text]) => scenarioOf(name, text));
  if (scenarios.length === 0) {
    process.stderr.write(`one of ${Object.keys(stories).join(", ")}, or nothing for all\n`);
    process.exitCode = exit.badInput;
  }
  await inOneLab(lab_name, scenarios, new Progress(), async (scenario, run) => {
    process.stdout.write(`\n${scenario.header.title}\n`);
    const { ok, problems } = await run({
      begins: () => undefined,
      ends: (step) => {
        process.stdout.write(`${lineOf(step)}\n`);
      },
    });
    for (const { where, what } of problems) process.stderr.write(`${where}: ${what}\n`);
    if (ok) await keep(scenario.file);
    else process.exitCode = 1;
    return ok;
  });
}
