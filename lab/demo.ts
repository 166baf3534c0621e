import { fail } from "../src/base/problem.ts";
import { seconds, type Progress } from "../src/machine/progress.ts";
import { draw } from "../src/record/draw.ts";
import { failovers } from "../src/record/failover.ts";
import { type Gap, gapOf } from "../src/record/gap.ts";
import type { Failover, PhaseName } from "../src/record/timeline.ts";
import { cacheFolder } from "./cache.ts";
import { removeLab } from "./down.ts";
import type { Lab } from "./folder.ts";
import { imageCached } from "./image.ts";
import { metalOf } from "./metal/power.ts";
import { untilRecorded } from "./records.ts";
import { labUp } from "./up.ts";

/** What the demo measured: by the machines' own flight recorders, as `duet explain` tells it. */
export interface DemoResult {
  readonly up_ms: number;
  readonly failover: Failover;
}

export const demoLab = "demo";
const whole_ms_max = 180_000;

export async function announce(progress: Progress): Promise<void> {
  progress.say(
    "duet: a control plane on two machines. This shows two machines with etcd, one lost, one taking over, both again.\n",
  );
  progress.say(
    (await imageCached())
      ? "The machines' image is cached: this takes about a minute."
      : `The first time takes about 3 minutes and 1 GB of disk in ${cacheFolder()}; later about a minute.`,
  );
}

/** The two machines; an earlier demo's that was kept is in the way, and is not touched. */
export async function demoUp(progress: Progress): Promise<Lab> {
  const lab = await labUp({ name: demoLab, disk_mb: 4096, off_ms: 1000, on_ms: 1000, wait: true }, progress);
  await progress.step("etcd on both machines: two voters, each with everything (1+1)", () =>
    untilRecorded(lab, "node1", "1+1", { deadline_ms: whole_ms_max }),
  );
  return lab;
}

/** One machine lost by `cut`: the peer has it proven off, takes over, powers it on, and takes it back. */
export async function demo(lab: Lab, progress: Progress): Promise<Failover> {
  // The preferred machine is node1: losing the other shows a fence without the delay that settles a race.
  const [survivor, gone] = ["node1", "node2"];
  await progress.step(`${gone} loses its power (cut: no goodbye)`, () => metalOf(lab, gone).cut());
  await progress.step(`${survivor} notices, has ${gone} proven off by its BMC, and serves alone`, () =>
    untilRecorded(lab, survivor, "takeover ends", { after: "takeover begins", deadline_ms: whole_ms_max }),
  );
  const mine = await progress.step(`${gone} is powered on, boots, joins and catches up (1+1)`, () =>
    untilRecorded(lab, survivor, "1+1", { after: "takeover ends", deadline_ms: whole_ms_max }),
  );
  // With what its Corosync told, both clocks can be lined up.
  const theirs = await progress.step(`${gone} writes down what its journals tell`, () =>
    untilRecorded(lab, gone, "membership", { after: "peer back", deadline_ms: whole_ms_max }),
  );
  const [failover] = failovers([...mine, ...theirs], 1);
  return failover ?? fail("DUET-E-BUG", survivor, "its record tells of no failover", "please report this");
}

const parts: Readonly<Partial<Record<PhaseName, string>>> = {
  detected: "until Corosync sees that it is lost",
  "fence asked": "until Pacemaker asks for its Off",
  "Off confirmed": "until its BMC has confirmed Off",
  takeover: "until duet begins to take over",
  "first write served": "until etcd has answered a write",
};

export function summary({ up_ms, failover }: DemoResult, columns: number): string {
  return [
    "",
    draw(failover, { columns, bold: (text) => text }),
    ...gapText(gapOf(failover), failover.gone),
    "",
    `From nothing to two machines with one etcd it took ${seconds(up_ms)}.`,
    "",
  ].join("\n");
}

function gapText({ whole_ms, parts: found }: Gap, gone: string): readonly string[] {
  const row = (what: string, ms: number | undefined) =>
    `  ${what.padEnd(40)} ${(ms === undefined ? "not known" : seconds(ms)).padStart(9)}`;
  return [
    `From the loss of ${gone} to the first write that etcd answered again:`,
    ...found.map(({ until, took_ms }) => row(parts[until] ?? until, took_ms)),
    row("together", whole_ms),
  ];
}

export async function endDemo(lab: Lab): Promise<void> {
  await removeLab(lab.folder);
}
