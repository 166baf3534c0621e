import { fail } from "../src/base/problem.ts";
import { seconds, type Progress } from "../src/machine/progress.ts";
import { draw } from "../src/record/draw.ts";
import type { Told } from "../src/record/entry.ts";
import { failovers } from "../src/record/failover.ts";
import { type Gap, gapOf } from "../src/record/gap.ts";
import type { Failover, PhaseName } from "../src/record/timeline.ts";
import { cacheFolder } from "./cache.ts";
import { removeLab } from "./down.ts";
import type { Lab } from "./folder.ts";
import { imageCached } from "./image.ts";
import { kubernetesCached } from "./kubernetes/ensure.ts";
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

/** What comes, how long it takes, and how to have less of it, before anything is begun. */
export async function announce(progress: Progress, kubernetes: boolean): Promise<void> {
  progress.say(
    "duet: a control plane on two machines. This shows two machines with etcd, one lost, one taking over, both again.",
  );
  if (kubernetes) progress.say("Then the same with a Kubernetes API on them, as clients of it see it.");
  progress.say("");
  const [image, parts] = [await imageCached(), !kubernetes || (await kubernetesCached())];
  const less = "`npm start -- --without-kubernetes` shows the first part alone";
  if (image && parts)
    progress.say(
      `Everything is cached: this takes about ${kubernetes ? `three minutes (${less})` : "a minute"}.`,
    );
  else if (parts)
    progress.say(
      `The first time takes about 3 minutes more, and 1 GB of disk in ${cacheFolder()}; later it is quicker.`,
    );
  else
    progress.say(
      [
        `The first part takes about ${image ? "a minute" : `3 minutes, and 1 GB of disk in ${cacheFolder()}`}.`,
        "For the second one Kubernetes is built from its sources, once: ten minutes to a quarter of an hour on two cores, 1 GB in",
        `${cacheFolder()}, and 6 GB in Go's own caches. That is done behind the first part, in the idle class, so that`,
        "its figures are not hurt; what is left of it then is waited for, with the time of each step.",
        `${less}. Ctrl-C stops at any time and takes everything`,
        "away but what was built whole.",
      ].join("\n"),
    );
}

/** The two machines of the first part, with etcd and nothing above it. */
export async function demoUp(progress: Progress): Promise<Lab> {
  const lab = await labUp({ name: demoLab, disk_mb: 4096, off_ms: 1000, on_ms: 1000, wait: true }, progress);
  await progress.step("etcd on both machines: two voters, each with everything (1+1)", () =>
    untilRecorded(lab, "node1", "1+1", { deadline_ms: whole_ms_max }),
  );
  return lab;
}

/** One machine lost by `cut`: the peer has it proven off, takes over, powers it on, and takes it back. */
export async function demo(lab: Lab, progress: Progress): Promise<Omit<DemoResult, "up_ms">> {
  // The preferred machine is node1: losing the other shows a fence without the delay that settles a race.
  const [survivor, gone] = ["node1", "node2"];
  await progress.step(`${gone} loses its power (cut: no goodbye)`, () => metalOf(lab, gone).cut());
  await progress.step(`${survivor} notices, has ${gone} proven off by its BMC, and serves alone`, () =>
    untilRecorded(lab, survivor, "takeover ends", { after: "takeover begins", deadline_ms: whole_ms_max }),
  );
  return { failover: failoverOf(survivor, await untilBack(lab, survivor, gone, progress)) };
}

/** Until the lost machine is whole again; what both have recorded. */
export async function untilBack(
  lab: Lab,
  survivor: string,
  gone: string,
  progress: Progress,
): Promise<readonly Told[]> {
  const mine = await progress.step(`${gone} is powered on, boots, joins and catches up (1+1)`, () =>
    untilRecorded(lab, survivor, "1+1", { after: "takeover ends", deadline_ms: whole_ms_max }),
  );
  // With what its Corosync told, both clocks can be lined up.
  const theirs = await progress.step(`${gone} writes down what its journals tell`, () =>
    untilRecorded(lab, gone, "membership", { after: "peer back", deadline_ms: whole_ms_max }),
  );
  return [...mine, ...theirs];
}

export function failoverOf(survivor: string, records: readonly Told[]): Failover {
  const [failover] = failovers(records, 1);
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

export function gapText({ whole_ms, parts: found }: Gap, gone: string): readonly string[] {
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
